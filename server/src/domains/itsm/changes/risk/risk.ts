/** The risk of a change: points for known risk factors, each with its reason. */
import Type, { type Static } from "typebox";

export const Risk = Type.Object(
  {
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    level: Type.Enum(["low", "moderate", "high"]),
    reasons: Type.Array(Type.String(), { description: "The factors of the score" }),
  },
  { title: "ChangeRisk" },
);
export type Risk = Static<typeof Risk>;

/** The facts that the risk follows from. */
export interface RiskFacts {
  readonly impact: number;
  readonly type: "standard" | "normal" | "emergency";
  /** The classes of its configuration items, one per item. */
  readonly classes: readonly string[];
  /** The number of other items that depend on those directly. */
  readonly dependants: number;
  /** The outcome of other recent changes of the same items. */
  readonly history: { readonly ended: number; readonly rolledBack: number };
  readonly conflicts: { readonly changes: number; readonly blackoutWindows: number };
}

export const MODERATE_FROM = 35;
export const HIGH_FROM = 65;
const SCORE_MAX = 100;

/** Item classes with usually many dependants. */
const CENTRAL_CLASSES: ReadonlySet<string> = new Set(["database", "network", "storage", "service"]);

interface Points {
  readonly points: number;
  readonly reason: string;
}

/** Adds up the risk factors of a change and subtracts the mitigations. */
export function computeRisk(facts: RiskFacts): Risk {
  const all = [
    impactPoints(facts),
    itemPoints(facts),
    classPoints(facts),
    dependantPoints(facts),
    historyPoints(facts),
    typePoints(facts),
    conflictPoints(facts),
    blackoutPoints(facts),
  ].filter(({ points }) => points !== 0);
  const sum = all.reduce((total, { points }) => total + points, 0);
  const score = Math.min(SCORE_MAX, Math.max(0, sum));
  return { score, level: levelOf(score), reasons: all.map(describePoints) };
}

export function levelOf(score: number): Risk["level"] {
  if (score >= HIGH_FROM) return "high";
  return score >= MODERATE_FROM ? "moderate" : "low";
}

function describePoints({ points, reason }: Points): string {
  return `${reason} (${points > 0 ? "+" : "−"}${Math.abs(points)})`;
}

function impactPoints({ impact }: RiskFacts): Points {
  if (impact === 1) return { points: 30, reason: "High impact" };
  if (impact === 2) return { points: 15, reason: "Medium impact" };
  return { points: 5, reason: "Low impact" };
}

function itemPoints({ classes }: RiskFacts): Points {
  const count = classes.length;
  const reason = `${formatCount(count, "configuration item")} affected`;
  return { points: pointsForSteps(count, [1, 2, 6]), reason };
}

function classPoints({ classes }: RiskFacts): Points {
  const central = [...new Set(classes.filter((name) => CENTRAL_CLASSES.has(name)))].toSorted();
  return {
    points: central.length > 0 ? 5 : 0,
    reason: `Other items depend on: ${central.join(", ")}`,
  };
}

function dependantPoints({ dependants }: RiskFacts): Points {
  const reason = `${formatCount(dependants, "item")} directly dependent on those`;
  return { points: pointsForSteps(dependants, [1, 6, 21]), reason };
}

function historyPoints({ history: { ended, rolledBack } }: RiskFacts): Points {
  if (ended === 0) return { points: 0, reason: "" };
  return {
    points: Math.round((rolledBack / ended) * 20),
    reason: `${rolledBack} of ${formatCount(ended, "earlier change")} of these items rolled back`,
  };
}

function typePoints({ type }: RiskFacts): Points {
  if (type === "emergency") return { points: 15, reason: "Emergency change" };
  if (type === "standard") return { points: -10, reason: "Standard change with a good record" };
  return { points: 0, reason: "" };
}

function conflictPoints({ conflicts: { changes } }: RiskFacts): Points {
  const reason = `${formatCount(changes, "other change")} of the same items at the same time`;
  return { points: pointsForSteps(changes, [1, 2, 3]), reason };
}

function blackoutPoints({ conflicts: { blackoutWindows } }: RiskFacts): Points {
  return { points: blackoutWindows > 0 ? 15 : 0, reason: "Planned during a change freeze" };
}

/** 5 points for each reached threshold. */
function pointsForSteps(count: number, marks: readonly number[]): number {
  return 5 * marks.filter((mark) => count >= mark).length;
}

function formatCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
