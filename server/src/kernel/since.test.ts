import { describe, expect, test } from "vitest";
import { compileSince } from "./since.ts";

describe("from when on somebody hears", () => {
  test.each<[string, [number, number, number], boolean]>([
    ["10:10:", [1, 8, 9], false],
    ["10:10:", [1, 9, 7], false],
    ["10:10:", [1, 9, 8], true],
    ["10:10:", [1, 10, 1], true],
    ["10:15:12,13", [1, 9, 9], false],
    ["10:15:12,13", [1, 11, 9], false],
    ["10:15:12,13", [1, 12, 1], true],
    ["10:15:12,13", [1, 14, 7], false],
    ["10:15:12,13", [1, 14, 8], true],
    ["10:15:12,13", [1, 15, 1], true],
    ["10:15:12,13", [0, 20, 9], false],
    ["10:15:12,13", [2, 1, 1], true],
  ])("since %s an event of epoch, transaction and number %j: %s", (snapshot, place, expected) => {
    const [epoch, xid, seq] = place;
    expect(compileSince({ epoch: 1, snapshot, seq: 7 })({ epoch, xid, seq })).toBe(expected);
  });
});
