import { expect, test } from "vitest";
import { groupRows } from "./group-rows.ts";

const groups = [
  { value: "a", count: 2, figures: {} },
  { value: "b", count: 3, figures: {} },
  { value: null, count: 1, figures: {} },
];

test("each line is a group header or a record, in list order", () => {
  const rows = groupRows(groups, new Set());
  expect(rows.count).toBe(9);
  const lines = Array.from(
    { length: 9 },
    (_, n) => rows.groupAt(n)?.group.value ?? rows.placeAt(n) ?? "none",
  );
  expect(lines).toEqual(["a", 0, 1, "b", 2, 3, 4, "none", 5]);
  for (let place = 0; place < 6; place += 1) expect(rows.placeAt(rows.lineOf(place))).toBe(place);
});

test("a collapsed group shows only its header", () => {
  const rows = groupRows(groups, new Set(['"b"']));
  expect(rows.count).toBe(6);
  expect(rows.groupAt(3)?.n).toBe(1);
  expect(rows.groupAt(4)?.n).toBe(2);
  expect(rows.placeAt(5)).toBe(5);
});
