/** What a form sends and what it refuses before sending: pure, by the facts of the operation's schema. */
import type { FieldFacts } from "@millrace/client/fields";

export type Values = Readonly<Record<string, unknown>>;
export type Facts = Readonly<Record<string, FieldFacts>>;

/** Names of the fields whose values differ. */
export function changedNames(base: Values, values: Values): readonly string[] {
  return Object.keys(values).filter((name) => !isSame(base[name], values[name]));
}

/** Equal; an absent value, null and an empty text look the same in a field, and are. */
export function isSame(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

const textOf = (value: unknown): string =>
  value === undefined || value === "" ? "null" : JSON.stringify(value);

/** Says whether the server takes no value, an empty text or an empty list of a field. */
export function canBeEmpty(fact: FieldFacts): boolean {
  const { type, nullable, minLength = 0, minItems = 0, pattern, format, values } = fact;
  if (nullable || type === "boolean") return true;
  if (type === "array") return minItems === 0;
  return type === "string" && minLength === 0 && !pattern && !format && !values;
}

/** The body of a command: what is empty is null or empty where the schema has that, and absent elsewhere. */
export function toBody(values: Values, facts: Facts): Values {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const fact = facts[name];
    // A draft may hold more, as the whole thing that is changed, or the fields of a sister operation.
    if (!fact) return [];
    if (!isEmpty(value)) return [[name, value]];
    if (fact.nullable) return [[name, null]];
    // What was never touched is absent.
    const isLeft = value === undefined || value === null || !canBeEmpty(fact);
    return isLeft ? [] : [[name, typeof value === "string" ? "" : value]];
  });
  return Object.fromEntries(entries) as Values;
}

/**
 * What is wrong before the server is asked, by field, without the label. A field that an update empties must be one that
 * can be empty: it would not be sent, and stay as it is.
 */
export function findProblems(
  values: Values,
  facts: Facts,
  updated: readonly string[] = [],
): ReadonlyMap<string, string> {
  const found = Object.entries(facts).flatMap(([name, fact]) => {
    const isNeeded = fact.required === true || updated.includes(name);
    const problem = isEmpty(values[name])
      ? isNeeded && !canBeEmpty(fact) && "is required"
      : problemOf(values[name], fact);
    return problem ? [[name, problem] as const] : [];
  });
  return new Map(found);
}

function problemOf(value: unknown, fact: FieldFacts): string | undefined {
  const { pattern, minLength = 0, maxLength, minimum, maximum } = fact;
  if (typeof value === "string") {
    if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) {
      return "does not have the expected form";
    }
    if (value.length < minLength) return `needs at least ${minLength} characters`;
    if (maxLength !== undefined && value.length > maxLength) {
      return `can have at most ${maxLength.toLocaleString("en")} characters`;
    }
  }
  if (typeof value === "number") {
    if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
    if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  }
  return undefined;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

export interface Problem {
  /** Of the field, or of a part of its value: `/steps/0/title`. */
  readonly path: string;
  /** Without the label. */
  readonly text: string;
}

/** The path that shows a problem: its own, or that of the field around it; none where no field of it is shown. */
export function placeOf({ path }: Pick<Problem, "path">, shown: ReadonlySet<string>) {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    if (shown.has(at)) return at;
  }
  return undefined;
}

/** The value at a path. */
export const valueAt = (values: Values, path: string): unknown =>
  path
    .split("/")
    .slice(1)
    .reduce<unknown>((value, key) => (value as Values | null | undefined)?.[key], values);

const KEYWORDS: readonly (readonly [RegExp, string])[] = [
  [/^must have required propert/i, "is required"],
  [/^must (match|be equal).*(pattern|format)/i, "does not have the expected form"],
  [/^must not have fewer than 1 (characters|items)/i, "is required"],
];

/** An error of the server without pointers, patterns and words of the schema. */
export function toPlainProblem(message: string): string {
  return KEYWORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}

/** `Title is required.` */
export function toSentence(label: string, problem: string): string {
  const text = /^[A-Z]/.test(problem) ? problem : `${label} ${problem}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
