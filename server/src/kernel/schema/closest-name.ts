const EDITS_MAX = 2;

/** The most likely intended name for a misspelt one: its edit distance is at most two. */
export function closestName(name: string, names: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of names) {
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    const isClose = edits <= EDITS_MAX && edits * 2 <= Math.min(name.length, candidate.length);
    if (isClose && (best === undefined || edits < best.edits)) best = { name: candidate, edits };
  }
  return best?.name;
}

/**
 * The edit distance (insert, delete, replace, transpose), if it is small. Only positions within the maximum distance
 * are compared, and different names are rejected early, because there can be thousands of long ones.
 */
function editsBetween(left: string, right: string): number {
  const many = EDITS_MAX + 1;
  if (Math.abs(left.length - right.length) > EDITS_MAX) return many;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let y = 1; y <= left.length; y += 1) {
    const next: number[] = [];
    next[0] = y;
    let least = y;
    for (let x = Math.max(1, y - EDITS_MAX); x <= Math.min(right.length, y + EDITS_MAX); x += 1) {
      const isSame = left[y - 1] === right[x - 1];
      const isSwap = y > 1 && x > 1 && left[y - 1] === right[x - 2] && left[y - 2] === right[x - 1];
      const edits = Math.min(
        (row[x] ?? many) + 1,
        (next[x - 1] ?? many) + 1,
        (row[x - 1] ?? many) + (isSame ? 0 : 1),
        isSwap ? (before[x - 2] ?? many) + 1 : many,
      );
      next[x] = edits;
      least = Math.min(least, edits);
    }
    if (least > EDITS_MAX) return many;
    [before, row] = [row, next];
  }
  return row[right.length] ?? many;
}
