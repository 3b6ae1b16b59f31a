/** Form values and their validation before sending: pure functions, based on the operation's schema. */
import type { FieldFacts } from "@millrace/client/fields";

export type Values = Readonly<Record<string, unknown>>;
export type Facts = Readonly<Record<string, FieldFacts>>;

/** Returns the names of the fields whose values differ. */
export function changedNames(base: Values, values: Values): readonly string[] {
  return Object.keys(values).filter((name) => !isSame(base[name], values[name]));
}

/** Compares two values; undefined, null and an empty text are equal, because they look the same in a field. */
export function isSame(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

const textOf = (value: unknown): string =>
  value === undefined || value === "" ? "null" : JSON.stringify(value);

/** Returns whether the server accepts null, an empty text or an empty list for a field. */
export function canBeEmpty(fact: FieldFacts): boolean {
  const { type, nullable, minLength = 0, minItems = 0, pattern, format, values } = fact;
  if (nullable || type === "boolean") return true;
  if (type === "array") return minItems === 0;
  return type === "string" && minLength === 0 && !pattern && !format && !values;
}

/** Returns the request body: empty fields are null or empty if the schema allows it, otherwise omitted. */
export function toBody(values: Values, facts: Facts): Values {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const fact = facts[name];
    // Drafts may have additional fields, for example from the complete resource or from a related operation.
    if (!fact) return [];
    if (!isEmpty(value)) return [[name, value]];
    if (fact.nullable) return [[name, null]];
    // Untouched fields are omitted.
    const isLeft = value === undefined || value === null || !canBeEmpty(fact);
    return isLeft ? [] : [[name, typeof value === "string" ? "" : value]];
  });
  return Object.fromEntries(entries) as Values;
}

/**
 * Returns validation errors by field, without labels, before sending. An update may only empty fields that can be
 * empty: otherwise the field would not be sent and keep its old value.
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
      return "has an invalid format";
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
  /** The path of the field or of a nested value: `/steps/0/title`. */
  readonly path: string;
  /** The message without the label. */
  readonly text: string;
}

/** Returns the path where a problem is shown: its own, or that of the enclosing field; undefined if none is visible. */
export function placeOf({ path }: Pick<Problem, "path">, shown: ReadonlySet<string>) {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    if (shown.has(at)) return at;
  }
  return undefined;
}

export const valueAt = (values: Values, path: string): unknown =>
  path
    .split("/")
    .slice(1)
    .reduce<unknown>((value, key) => (value as Values | null | undefined)?.[key], values);

const KEYWORDS: readonly (readonly [RegExp, string])[] = [
  [/^must have required propert/i, "is required"],
  [/^must (match|be equal).*(pattern|format)/i, "has an invalid format"],
  [/^must not have fewer than 1 (characters|items)/i, "is required"],
];

/** Rewrites a server error without pointers, patterns and schema keywords. */
export function toPlainProblem(message: string): string {
  return KEYWORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}

/** Returns a sentence such as `Title is required.` A label that is a question can't be its subject. */
export function toSentence(label: string, problem: string): string {
  const subject = label.endsWith("?") ? "This field" : label;
  const text = /^[A-Z]/.test(problem) ? problem : `${subject} ${problem}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
