import fc from "fast-check";
import { expect, test } from "vitest";
import { eventIdOf, positionOf } from "../log/event.ts";
import {
  derivedId,
  firstIdAt,
  idPattern,
  idsInOrder,
  newId,
  newWorkspaceKey,
  timeOfId,
  workspaceIdOf,
  workspaceKeyOf,
} from "./id.ts";

test("ids have a prefix and a fixed length, never repeat, and sort by time", () => {
  const ids = Array.from({ length: 5_000 }, () => newId("inc"));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(new RegExp(idPattern("inc")));
  expect(newId("inc", 1_000) < newId("inc", 1_001)).toBe(true);
});

test("ids created together sort in creation order and have the normal format", () => {
  const next = idsInOrder("inc", 1_000);
  const ids = Array.from({ length: 2_000 }, () => next());
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(new RegExp(idPattern("inc")));
  expect(timeOfId(ids.at(-1) ?? "")).toBe(1_000);
  expect(idsInOrder("inc", 1_000)()).not.toBe(ids[0]);
});

test("a workspace's id and key can be converted to each other", () => {
  for (let index = 0; index < 100; index += 1) {
    const key = newWorkspaceKey();
    expect(workspaceKeyOf(workspaceIdOf(key))).toBe(key);
  }
  expect(workspaceKeyOf(`ws_${"z".repeat(26)}`)).toBeUndefined();
  expect(workspaceKeyOf("ws_short")).toBeUndefined();
});

const place = fc.record({
  epoch: fc.integer({ min: 0, max: 1023 }),
  xid: fc.integer({ min: 0, max: 2 ** 50 - 1 }),
  seq: fc.integer({ min: 0, max: 2 ** 50 - 1 }),
});

test("an event id is its log position and sorts like the log", () => {
  fc.assert(
    fc.property(place, place, (a, b) => {
      expect(positionOf(eventIdOf(a))).toEqual(a);
      const byPlace = Math.sign(a.epoch - b.epoch || a.xid - b.xid || a.seq - b.seq);
      const [left, right] = [eventIdOf(a), eventIdOf(b)];
      expect(left < right ? -1 : left > right ? 1 : 0).toBe(byPlace);
    }),
  );
});

test("a derived id depends only on its text and sorts by its time", () => {
  const atMs = 1_790_000_000_000;
  const id = derivedId("run", "a text", atMs);
  expect(id).toMatch(new RegExp(idPattern("run")));
  expect(derivedId("run", "a text", atMs)).toBe(id);
  expect(derivedId("run", "another", atMs)).not.toBe(id);
  expect(timeOfId(id)).toBe(atMs);
  expect(timeOfId(newId("run", atMs))).toBe(atMs);
  expect(firstIdAt("run", atMs) < id && id < firstIdAt("run", atMs + 1)).toBe(true);
  expect(firstIdAt("run", -1)).toBe(firstIdAt("run", 0));
});

test("ids stay in order after the system clock is set back", () => {
  const before = newId("x");
  const { now } = Date;
  Date.now = () => now() - 7_200_000;
  try {
    expect(timeOfId(newId("x"))).toBeGreaterThanOrEqual(timeOfId(before));
  } finally {
    Date.now = now;
  }
});
