import { expect, test } from "vitest";
import { readChips, readDeskSearch, toggleChip, writeChips } from "./search.ts";

test("chips are preserved in the address, whatever characters their values contain", () => {
  const chips = [
    { field: "priority", value: "1" },
    { field: "tag", value: "a,b:c" },
  ] as const;
  expect(readChips(writeChips(chips))).toEqual(chips);
  expect(readChips("nonsense,priority:,size:9")).toEqual([]);
  expect(writeChips([])).toBeUndefined();
});

test("toggling an existing chip removes it", () => {
  const one = { field: "state", value: "on_hold" } as const;
  expect(toggleChip(toggleChip([], one), one)).toEqual([]);
});

test("invalid search parameters are ignored", () => {
  expect(readDeskSearch({ view: 3, open: "INC0000001", q: "" })).toEqual({
    view: undefined,
    q: undefined,
    only: undefined,
    open: "INC0000001",
  });
});
