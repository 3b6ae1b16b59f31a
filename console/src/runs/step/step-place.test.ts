import { expect, test } from "vitest";
import {
  chooseItem,
  itemPathOf,
  loopsAround,
  readStepPlace,
  rowIdOf,
  writeItems,
} from "./step-place.ts";

test("a step id determines the place on the canvas and the loop items", () => {
  const { key, items } = readStepPlace("each[3].lines[0].label", undefined);
  expect(key).toBe("each/lines/label");
  expect([...items]).toEqual([
    ["each", 3],
    ["each/lines", 0],
  ]);
});

test("an address is written and parsed to the same value", () => {
  const items = new Map([
    ["each", 12],
    ["each/lines", 1],
  ]);
  expect(readStepPlace("each/charge", writeItems(items))).toEqual({ key: "each/charge", items });
  expect(readStepPlace(undefined, undefined)).toEqual({ key: undefined, items: new Map() });
  expect(writeItems(new Map())).toBeUndefined();
});

test("selecting another item of a loop resets the selection of its inner loops", () => {
  const items = new Map([
    ["each", 12],
    ["each/lines", 1],
    ["other", 2],
  ]);
  expect(writeItems(chooseItem(items, "each", 4))).toBe("other:2,each:4");
  expect(writeItems(chooseItem(items, "each", undefined))).toBe("other:2");
});

test("inner loop items belong to the first outer item by default", () => {
  expect(writeItems(chooseItem(new Map(), "each/lines", 2))).toBe("each:0,each/lines:2");
  const items = new Map([["each", 12]]);
  expect(writeItems(chooseItem(items, "each/lines", 2))).toBe("each:12,each/lines:2");
  expect(itemPathOf({ key: "each/lines", items: chooseItem(items, "each/lines", 2) })).toBe(
    "each[12].lines[2]",
  );
  expect(itemPathOf({ key: "", items })).toBeUndefined();
});

test("a step is inside all loops on its path", () => {
  expect(loopsAround("each/lines/label")).toEqual(["each", "each/lines"]);
  expect(loopsAround("read")).toEqual([]);
});

test.each([
  ["each[3].lines[0].label", "each[3].lines[0].label"],
  ["each[3]", "each[3]"],
  ["each/charge", "each"],
  ["read", "read"],
])("step %s has the row id %s", (step, row) =>
  expect(rowIdOf(readStepPlace(step, undefined))).toBe(row),
);
