const EDITS_MAX = 2;

/** The name that a misspelt one most likely means: it differs by two letters at most. */
export function closestName(name: string, names: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of names) {
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    const isClose = edits <= EDITS_MAX && edits * 2 <= Math.min(name.length, candidate.length);
    if (isClose && (best === undefined || edits < best.edits)) best = { name: candidate, edits };
  }
  return best?.name;
}

/** How many letters to add, take away, replace or swap, as far as that is few. */
function editsBetween(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > EDITS_MAX) return EDITS_MAX + 1;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let y = 1; y <= left.length; y += 1) {
    const next = [y];
    for (let x = 1; x <= right.length; x += 1) {
      const isSame = left[y - 1] === right[x - 1];
      const isSwap = y > 1 && x > 1 && left[y - 1] === right[x - 2] && left[y - 2] === right[x - 1];
      const options = [
        (row[x] ?? 0) + 1,
        (next[x - 1] ?? 0) + 1,
        (row[x - 1] ?? 0) + (isSame ? 0 : 1),
        ...(isSwap ? [(before[x - 2] ?? 0) + 1] : []),
      ];
      next.push(Math.min(...options));
    }
    [before, row] = [row, next];
  }
  return row[right.length] ?? 0;
}
