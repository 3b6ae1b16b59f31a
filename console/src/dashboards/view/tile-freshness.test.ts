import { expect, test } from "vitest";
import { isAbout, keepNewest } from "./tile-freshness.ts";

test("an event marks only the tiles as stale whose source it affects", () => {
  const record = { type: "record.created", data: { tableSlug: "orders" } };
  expect(isAbout({ kind: "records", table: "orders" }, record)).toBe(true);
  expect(isAbout({ kind: "records", table: "people" }, record)).toBe(false);
  expect(isAbout({ kind: "runs" }, record)).toBe(false);
  expect(isAbout({ kind: "events" }, record)).toBe(true);
  expect(
    isAbout({ kind: "tickets", entity: "incident" }, { type: "incident.created", data: {} }),
  ).toBe(true);
  expect(
    isAbout({ kind: "tickets", entity: "change" }, { type: "incident.created", data: {} }),
  ).toBe(false);
});

test("keeps the newer tile data regardless of arrival order", () => {
  const tile = (id: string, second: number) => ({
    id,
    kind: "report" as const,
    status: "ok" as const,
    at: new Date(1_000 * second).toISOString(),
    cached: false,
  });
  const answer = (...widgets: ReturnType<typeof tile>[]) => ({
    data: { widgets, bar: { fields: [] }, durationMs: 1 },
  });
  type Answer = Parameters<typeof keepNewest>[1];
  const known = answer(tile("a", 1), tile("b", 5)) as unknown as Answer;
  // All tiles were requested before tile b was reloaded, and answered after it.
  const next = keepNewest(known, answer(tile("a", 3), tile("b", 3)) as unknown as Answer);
  expect(next.data.widgets).toEqual([tile("a", 3), tile("b", 5)]);
  expect(next.data.widgets[1]).toBe(known.data.widgets[1]);
  const text = { ...tile("b", 0), kind: "text", at: null };
  const edited = keepNewest(next, answer(text as never) as unknown as Answer);
  expect(edited.data.widgets).toEqual([text]);
});
