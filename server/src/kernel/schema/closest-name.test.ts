import fc from "fast-check";
import { expect, test } from "vitest";
import { closestName } from "./closest-name.ts";

/** The edit distance (insert, delete, replace, transpose), computed naively. */
function editsBetween(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, () =>
    Array<number>(right.length + 1).fill(0),
  );
  for (let y = 0; y <= left.length; y += 1) {
    for (let x = 0; x <= right.length; x += 1) {
      const at = (dy: number, dx: number) => rows[y - dy]?.[x - dx] ?? Infinity;
      const isSame = left[y - 1] === right[x - 1];
      const isSwap = y > 1 && x > 1 && left[y - 1] === right[x - 2] && left[y - 2] === right[x - 1];
      const row = rows[y];
      if (!row || (x === 0 && y === 0)) continue;
      row[x] = Math.min(
        at(1, 0) + 1,
        at(0, 1) + 1,
        at(1, 1) + (isSame ? 0 : 1),
        isSwap ? at(2, 2) + 1 : Infinity,
      );
    }
  }
  return rows[left.length]?.[right.length] ?? 0;
}

test("the closest name has the smallest edit distance, at most two", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 6 }), (name, names) => {
      const close = names.filter((one) => {
        const edits = editsBetween(name, one);
        return edits <= 2 && edits * 2 <= Math.min(name.length, one.length);
      });
      const [best] = close.toSorted((a, b) => editsBetween(name, a) - editsBetween(name, b));
      expect(closestName(name, names)).toBe(best);
    }),
    { seed: 1 },
  );
});
