/** The order of rules: the first matching rule applies. */

interface Placed {
  readonly id: string;
  readonly position: number;
}

const STEP = 10;
const POSITION_MAX = 10_000;

/**
 * Returns the positions to write to move a rule up or down: one if there is a free position between its new
 * neighbours, otherwise all.
 */
export function moveRule(rules: readonly Placed[], id: string, by: number): readonly Placed[] {
  const at = rules.findIndex((rule) => rule.id === id);
  const moved = rules[at];
  const to = Math.max(0, Math.min(rules.length - 1, at + by));
  if (!moved || to === at) return [];
  const ordered = rules.toSpliced(at, 1).toSpliced(to, 0, moved);
  const before = to === 0 ? -1 : (ordered[to - 1]?.position ?? -1);
  const after = ordered[to + 1]?.position ?? Math.min(POSITION_MAX + 1, before + 2 * STEP + 1);
  const position = Math.floor((before + after) / 2);
  if (position > before && position < after) return [{ id, position }];
  return ordered
    .map((rule, n) => ({ id: rule.id, position: (n + 1) * STEP }))
    .filter(
      ({ id: one, position: next }, n) => ordered[n]?.id === one && ordered[n].position !== next,
    );
}
