import { expect, test } from "vitest";
import { toConditionWords, toSentence, toTimeWords } from "./policy-words.ts";

test("a policy is described in one sentence", () => {
  expect(
    toSentence({
      entity: "incident",
      conditions: { priority: { lte: 2 }, category: "network" },
      targets: [
        { metric: "response", minutes: 15 },
        { metric: "custom", name: "hand-over", minutes: 90 },
      ],
    }),
  ).toBe(
    "Incidents with priority at most 2 and category network get a first response within 15 minutes, and reach “hand-over” within 1.5 hours.",
  );
  expect(toConditionWords({ or: [{ "fields.floor": "3" }, { teamId: null }] })).toBe(
    "floor 3 or no team",
  );
});

test("times are formatted in a suitable unit", () => {
  expect([1, 45, 60, 90, 1_440, 2_880].map(toTimeWords)).toEqual([
    "1 minute",
    "45 minutes",
    "1 hour",
    "1.5 hours",
    "1 day",
    "2 days",
  ]);
});
