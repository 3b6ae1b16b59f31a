import { expect, test } from "vitest";
import { groupPromises, toChange, toSpanWords } from "./figure.ts";

test("times are formatted in a few characters", () => {
  expect([null, 0.4, 38, 125, 1_439, 4_608].map(toSpanWords)).toEqual([
    "–",
    "0m",
    "38m",
    "2h 05m",
    "23h 59m",
    "3.2 days",
  ]);
});

test("a change is good or bad depending on the figure", () => {
  expect(toChange(12, 10, "more")).toEqual({ change: "+20 %", tone: "ok" });
  expect(toChange(12, 10, "less")).toEqual({ change: "+20 %", tone: "bad" });
  expect(toChange(12, 10, "neither").tone).toBe("idle");
  expect(toChange(10, 10, "more").change).toBe("unchanged");
  expect(toChange(10, 0, "more").change).toBeUndefined();
});

test("SLA results are summed by team and by priority", () => {
  const of = (id: string | null, priority: number, met: number, breached: number) => ({
    team: { id, name: id && `Team ${id}` },
    priority,
    metric: "resolution",
    met,
    breached,
  });
  const promises = [of("a", 2, 1, 0), of("b", 1, 5, 2), of("a", 1, 0, 1), of(null, 3, 1, 0)];
  expect(groupPromises(promises, "team").map(({ label, met }) => [label, met])).toEqual([
    ["Team b", 5],
    ["Team a", 1],
    ["No team", 1],
  ]);
  expect(groupPromises(promises, "priority")[0]).toEqual({
    id: "1",
    label: "P1",
    met: 5,
    breached: 3,
  });
});
