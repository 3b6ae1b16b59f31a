/** Describes a policy in a sentence, so that its authors can check it. */
import type { Schemas } from "../data/api.ts";
import { toWords } from "../ui/words.ts";

export type Policy = Schemas["SlaPolicy"];
export type Target = Schemas["SlaTarget"];

const HOUR_M = 60;
const DAY_M = 1_440;

/** Formats `45 minutes`, `4 hours`, `1.5 hours` or `2 days`. */
export function toTimeWords(minutes: number): string {
  const unit = minutes % DAY_M === 0 ? DAY_M : minutes >= HOUR_M ? HOUR_M : 1;
  const n = Math.round((minutes / unit) * 100) / 100;
  const word = unit === DAY_M ? "day" : unit === HOUR_M ? "hour" : "minute";
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

const METRICS: Readonly<Record<Target["metric"], string>> = {
  response: "get a first response",
  resolution: "are resolved",
  next_reply: "get a reply to each message of the caller",
  custom: "reach the target",
};

export function toTargetWords({ metric, name, minutes }: Target): string {
  const done = metric === "custom" && name !== undefined ? `reach “${name}”` : METRICS[metric];
  return `${done} within ${toTimeWords(minutes)}`;
}

const OPERATORS: Readonly<Record<string, string>> = {
  eq: "is",
  ne: "is not",
  gt: "above",
  gte: "at least",
  lt: "below",
  lte: "at most",
  in: "one of",
  nin: "none of",
  contains: "contains",
  startsWith: "starts with",
  endsWith: "ends with",
  exists: "exists",
};

/** Describes a condition as text; deeply nested ones are shown as JSON. */
export function toConditionWords(condition: Readonly<Record<string, unknown>>): string {
  return Object.entries(condition)
    .map(([field, value]) => {
      if ((field === "and" || field === "or") && Array.isArray(value)) {
        return value
          .map((one) => toConditionWords(one as Readonly<Record<string, unknown>>))
          .join(` ${field} `);
      }
      return toComparisonWords(fieldWords(field), value);
    })
    .join(" and ");
}

const fieldWords = (field: string): string =>
  toWords(field.replace(/^(data|fields)\./, "").replaceAll(/([A-Z])/g, " $1"))
    .toLowerCase()
    .replace(/ id$/, "");

function toComparisonWords(field: string, value: unknown): string {
  if (value === null) return `no ${field}`;
  if (typeof value !== "object") return `${field} ${String(value as string | number | boolean)}`;
  if (Array.isArray(value)) return `${field} ${value.join(" or ")}`;
  return Object.entries(value)
    .map(([operator, operand]) => {
      const words = Array.isArray(operand) ? operand.join(", ") : JSON.stringify(operand);
      return `${field} ${OPERATORS[operator] ?? operator} ${words.replaceAll('"', "")}`;
    })
    .join(" and ");
}

/**
 * Returns a sentence such as "Incidents with priority at most 2 get a first response within 15 minutes, and are resolved within 4
 * hours".
 */
export function toSentence(policy: Pick<Policy, "entity" | "conditions" | "targets">): string {
  const what = `${toWords(policy.entity)}s`;
  const which =
    Object.keys(policy.conditions).length === 0
      ? ""
      : ` with ${toConditionWords(policy.conditions)}`;
  const targets = policy.targets.map(toTargetWords);
  return `${what}${which} ${targets.join(", and ")}.`;
}
