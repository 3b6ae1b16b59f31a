import { expect, test } from "vitest";
import type { LogEvent } from "../../data/live/live.ts";
import { readEventsSearch, toEventsQuery } from "../search.ts";
import { appendEvents, compileEventMatch, mergeEvents } from "./event-match.ts";

const event = (id: string, more: object = {}): LogEvent =>
  ({
    id,
    type: "incident.created",
    createdAt: "2026-01-02T10:00:00.000Z",
    actor: { id: "usr_1", name: "Ada", type: "user" },
    resource: { type: "incident", id: "inc_1", number: "INC0000001", displayName: "Printer" },
    correlationId: "cor_1",
    data: { after: { title: "Printer on FIRE" } },
    ...more,
  }) as unknown as LogEvent;

test("a new event is listed if it matches all filters, and not otherwise", () => {
  const fits = [
    { type: "incident.*" },
    { type: "*.created" },
    { type: "*" },
    { topic: "incident" },
    { topic: "platform.events" },
    { actor: "usr_1" },
    { kind: "incident", thing: "inc_1" },
    { chain: "cor_1" },
    { from: "2026-01-02T10:00:00Z", to: "2026-01-02T10:00:01Z" },
    { q: "on fire" },
    { q: "inc0000001" },
  ];
  for (const search of fits) expect(compileEventMatch(search)(event("a"))).toBe(true);
  const misses = [
    { type: "incident.updated" },
    { type: "incident" },
    { type: "[" },
    { topic: "change" },
    { actor: "usr_2" },
    { thing: "inc_2" },
    { chain: "cor_2" },
    { to: "2026-01-02T10:00:00Z" },
    { from: "2026-01-02T10:00:01Z" },
    { q: "water" },
  ];
  for (const search of misses) expect(compileEventMatch(search)(event("a"))).toBe(false);
});

test("new events are added before known ones, in log order and without duplicates", () => {
  const known = [event("evt_3"), event("evt_1")];
  const ids = (events: readonly LogEvent[]) => events.map(({ id }) => id);
  expect(ids(mergeEvents([event("evt_5"), event("evt_4")], known, 9))).toEqual([
    "evt_5",
    "evt_4",
    "evt_3",
    "evt_1",
  ]);
  expect(ids(mergeEvents([event("evt_2"), event("evt_3")], known, 9))).toEqual([
    "evt_3",
    "evt_2",
    "evt_1",
  ]);
  expect(mergeEvents([event("evt_3")], known, 9)).toBe(known);
  expect(ids(mergeEvents([event("evt_5")], known, 2))).toEqual(["evt_5", "evt_3"]);
});

test("a page of past events is added below newer events, without duplicates", () => {
  const ids = (events: readonly LogEvent[]) => events.map(({ id }) => id);
  const told = [event("evt_5"), event("evt_2")];
  const page = ["evt_4", "evt_3", "evt_2", "evt_1"].map((id) => event(id));
  expect(ids(appendEvents(told, page))).toEqual(["evt_5", "evt_4", "evt_3", "evt_2", "evt_1"]);
  expect(ids(appendEvents([event("evt_9")], page.slice(2)))).toEqual(["evt_9", "evt_2", "evt_1"]);
});

test("search parameters are converted to a query, and unknown ones are ignored", () => {
  const search = readEventsSearch({ type: "a.*", thing: 7, x: "y", q: "", from: "never" });
  expect(search).toEqual({ type: "a.*", thing: "7", from: "never" });
  expect(toEventsQuery(search)).toEqual({ type: "a.*", resourceId: "7" });
  expect(toEventsQuery({ from: "2026-01-02T10:00:00Z" })).toEqual({
    from: "2026-01-02T10:00:00.000Z",
  });
});
