import fc from "fast-check";
import { expect, test } from "vitest";
import { HIGH_FROM, levelOf, MODERATE_FROM, type RiskFacts, computeRisk } from "./risk.ts";

const QUIET: RiskFacts = {
  impact: 3,
  type: "normal",
  classes: [],
  dependants: 0,
  history: { ended: 0, rolledBack: 0 },
  conflicts: { changes: 0, blackoutWindows: 0 },
};

const count = fc.nat({ max: 60 });
const facts: fc.Arbitrary<RiskFacts> = fc.record({
  impact: fc.constantFrom(1, 2, 3),
  type: fc.constantFrom("standard", "normal", "emergency"),
  classes: fc.array(fc.constantFrom("server", "database", "network", "other")),
  dependants: count,
  history: fc
    .tuple(count, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([ended, share]) => ({ ended, rolledBack: Math.floor(ended * share) })),
  conflicts: fc.record({ changes: count, blackoutWindows: count }),
});

test("the score is the sum of the reasons, between 0 and 100, and has a level", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { score, level, reasons } = computeRisk(given);
      const points = reasons.map((reason) =>
        Number(/\(([+−]\d+)\)$/.exec(reason)?.[1]?.replace("−", "-")),
      );
      const sum = points.reduce((total, one) => total + one, 0);
      expect(score).toBe(Math.min(100, Math.max(0, sum)));
      expect(level).toBe(levelOf(score));
    }),
  );
});

test("a worse fact never lowers the score", () => {
  const worse: ((given: RiskFacts) => RiskFacts)[] = [
    (given) => ({ ...given, impact: Math.max(1, given.impact - 1) }),
    (given) => ({ ...given, type: "emergency" }),
    (given) => ({ ...given, classes: [...given.classes, "database"] }),
    (given) => ({ ...given, dependants: given.dependants + 10 }),
    (given) => ({
      ...given,
      history: { ended: given.history.ended + 1, rolledBack: given.history.rolledBack + 1 },
    }),
    (given) => ({
      ...given,
      conflicts: { ...given.conflicts, changes: given.conflicts.changes + 1 },
    }),
    (given) => ({ ...given, conflicts: { ...given.conflicts, blackoutWindows: 1 } }),
  ];
  fc.assert(
    fc.property(facts, fc.constantFrom(...worse), (given, change) => {
      expect(computeRisk(change(given)).score).toBeGreaterThanOrEqual(computeRisk(given).score);
    }),
  );
});

test("a change without risks is low, an emergency on a busy database is high, and both list reasons", () => {
  expect(computeRisk(QUIET)).toEqual({ score: 5, level: "low", reasons: ["Low impact (+5)"] });
  expect(computeRisk({ ...QUIET, type: "standard" })).toMatchObject({ score: 0, level: "low" });
  expect(
    computeRisk({
      impact: 1,
      type: "emergency",
      classes: ["database", "server"],
      dependants: 7,
      history: { ended: 4, rolledBack: 1 },
      conflicts: { changes: 1, blackoutWindows: 1 },
    }),
  ).toEqual({
    score: 95,
    level: "high",
    reasons: [
      "High impact (+30)",
      "2 configuration items affected (+10)",
      "Other items depend on: database (+5)",
      "7 items directly dependent on those (+10)",
      "1 of 4 earlier changes of these items rolled back (+5)",
      "Emergency change (+15)",
      "1 other change of the same items at the same time (+5)",
      "Planned during a change freeze (+15)",
    ],
  });
});

test("levels begin at their thresholds", () => {
  const levels = [MODERATE_FROM - 1, MODERATE_FROM, HIGH_FROM - 1, HIGH_FROM].map(levelOf);
  expect(levels).toEqual(["low", "moderate", "moderate", "high"]);
});
