/** The minimal line difference of two texts (Myers). */
export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
  /** Line numbers from 1, in the text that contains the line. */
  readonly before?: number;
  readonly after?: number;
}

/** Texts with more differing lines are shown as one replaced block. */
const EDITS_MAX = 1_500;

const splitLines = (text: string): readonly string[] => (text === "" ? [] : text.split("\n"));

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [splitLines(before), splitLines(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1])
    [endA, endB] = [endA - 1, endB - 1];
  const kinds = [
    ...Array.from({ length: start }, () => "same" as const),
    ...findEdits(a.slice(start, endA), b.slice(start, endB)),
    ...Array.from({ length: a.length - endA }, () => "same" as const),
  ];
  return numberLines(kinds, a, b);
}

type Kind = DiffLine["kind"];

function numberLines(
  kinds: readonly Kind[],
  a: readonly string[],
  b: readonly string[],
): DiffLine[] {
  let [at, to] = [0, 0];
  return kinds.map((kind): DiffLine => {
    if (kind === "gone") return { kind, text: a[at] ?? "", before: (at += 1) };
    if (kind === "new") return { kind, text: b[to] ?? "", after: (to += 1) };
    return { kind, text: a[at] ?? "", before: (at += 1), after: (to += 1) };
  });
}

function findEdits(a: readonly string[], b: readonly string[]): readonly Kind[] {
  const trace = searchEdits(a, b);
  if (!trace) return [...a.map(() => "gone" as const), ...b.map(() => "new" as const)];
  const kinds: Kind[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reach = trace[d] ?? new Map<number, number>();
    const k = x - y;
    const isDown = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const from = isDown ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (reach.get(from) ?? 0);
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      kinds.push("same");
      [x, y] = [x - 1, y - 1];
    }
    if (d > 0) kinds.push(isDown ? "new" : "gone");
    [x, y] = [fromX, fromY];
  }
  return kinds.toReversed();
}

/** Returns how far each diagonal reaches before each edit; undefined if there are too many. */
function searchEdits(
  a: readonly string[],
  b: readonly string[],
): readonly ReadonlyMap<number, number>[] | undefined {
  const trace: Map<number, number>[] = [];
  const reach = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(EDITS_MAX, a.length + b.length); d += 1) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = isDown ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return undefined;
}

export interface DiffRow {
  readonly before: DiffLine | undefined;
  readonly after: DiffLine | undefined;
}

/** Pairs lines: removed lines are next to the lines that replaced them. */
export function pairLines(lines: readonly DiffLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let gone: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let n = 0; n < Math.max(gone.length, added.length); n += 1) {
      rows.push({ before: gone[n], after: added[n] });
    }
    [gone, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "gone") gone.push(line);
    else if (line.kind === "new") added.push(line);
    else {
      flush();
      rows.push({ before: line, after: line });
    }
  }
  flush();
  return rows;
}
