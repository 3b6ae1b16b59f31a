import { jsonPointer } from "../schema/json-pointer.ts";
import type { Condition } from "./condition.ts";
import { parseDate, parseTime } from "./parse-time.ts";
import type { Operator } from "./operator.ts";
import {
  isRelativeTime,
  RELATIVE_TIME_FORM,
  type RelativeClock,
  resolveRelativeTime,
} from "./relative-time.ts";
import { type ConditionFieldKind, splitPath } from "./sql.ts";
import { parseCondition, type ConditionError } from "./parse-condition.ts";

/** A condition with known fields and valid operands, or its errors. */
export type TypedConditionResult =
  | { readonly condition: Condition }
  | { readonly errors: readonly ConditionError[] };

/**
 * Checks a condition on the fields of a table and converts every operand to the format of records: a time with
 * an offset becomes UTC, a day compared with times becomes its start. With `users`, `$user.id` (or `$user`) and
 * `$user.roles` are placeholders for the caller's values. With a `clock`, times and days can be relative, such
 * as `$now-30d`.
 */
export function toTypedCondition(
  condition: unknown,
  fieldOf: (name: string) => ConditionFieldKind | undefined,
  { users = false, clock }: { readonly users?: boolean; readonly clock?: RelativeClock } = {},
): TypedConditionResult {
  const { errors } = parseCondition(users ? expandRoles(condition) : condition);
  if (errors.length > 0) return { errors };
  const state: CheckState = { fieldOf, users, clock, errors: [] };
  // A parsed condition is an object.
  const typed = convertObject(state, condition as Condition, "");
  return state.errors.length > 0 ? { errors: state.errors } : { condition: typed };
}

interface CheckState {
  readonly fieldOf: (name: string) => ConditionFieldKind | undefined;
  readonly users: boolean;
  readonly clock: RelativeClock | undefined;
  readonly errors: ConditionError[];
}

const ROLES = "$user.roles";
const USER_IDS = new Set(["$user", "$user.id"]);

function convertObject(state: CheckState, condition: Condition, pointer: string): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([key, value]) => {
      const at = jsonPointer(pointer, key);
      // The parser has checked all three types.
      if (key === "not") return [key, convertObject(state, value as Condition, at)];
      if (key === "and" || key === "or") {
        const parts = value as readonly Condition[];
        return [key, parts.map((part, index) => convertObject(state, part, `${at}/${index}`))];
      }
      return [key, convertPath(state, key, value, at)];
    }),
  );
}

function convertPath(state: CheckState, path: string, value: unknown, at: string): unknown {
  const { root: field, words } = splitPath(path.split("."), state.fieldOf);
  if (!field) return addError(state, at, "is not a field of this table");
  const kind = words.length === 0 ? field : nestedKind(field, words);
  if (!kind) return addError(state, at, `goes through a field that contains ${NOUNS[field]}`);
  if (!words.every(isStorable)) return addError(state, at, NOT_STORABLE);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return convertOperand(state, { kind, operator: "eq", operand: value, at });
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, operand]) => {
      const operator = key as Operator;
      return [key, convertOperand(state, { kind, operator, operand, at: `${at}/${key}` })];
    }),
  );
}

/** The kind of the value nested in a field at these words. Undefined if such a value cannot exist. */
function nestedKind(
  kind: ConditionFieldKind,
  words: readonly string[],
): ConditionFieldKind | undefined {
  if (kind === "json") return kind;
  return kind === "texts" && words.length === 1 && /^\d+$/.test(words[0] ?? "")
    ? "text"
    : undefined;
}

interface Operand {
  readonly kind: ConditionFieldKind;
  readonly operator: Operator;
  readonly operand: unknown;
  readonly at: string;
}

function convertOperand(state: CheckState, { kind, operator, operand, at }: Operand): unknown {
  const convert = (value: unknown, place: string): unknown =>
    value === null ? null : convertValue(state, kind, value, place);
  switch (operator) {
    case "exists":
      return operand;
    case "eq":
    case "ne":
      return convert(operand, at);
    case "in":
    case "nin":
      if (state.users && operand === ROLES) {
        return kind === "text" || kind === "json" ? operand : addMismatch(state, kind, at);
      }
      return (operand as readonly unknown[]).map((member, index) =>
        convert(member, `${at}/${index}`),
      );
    case "contains":
      if (kind === "json") return convertValue(state, kind, operand, at);
      return TEXT_KINDS.has(kind) || kind === "texts"
        ? convertValue(state, "text", operand, at)
        : addError(state, at, `can't be used with ${NOUNS[kind]}`);
    case "startsWith":
    case "endsWith":
      return TEXT_KINDS.has(kind) || kind === "json"
        ? convertValue(state, "text", operand, at)
        : addError(state, at, `can't be used with ${NOUNS[kind]}`);
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return kind === "boolean" || kind === "texts"
        ? addError(state, at, `can't be used with ${NOUNS[kind]}`)
        : convertValue(state, kind, operand, at);
  }
}

/** Kinds whose values are texts in JSON. */
const TEXT_KINDS: ReadonlySet<ConditionFieldKind> = new Set(["text", "time", "date"]);

const NOUNS: Readonly<Record<ConditionFieldKind, string>> = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  time: "a time",
  date: "a day",
  json: "JSON",
  texts: "a list of strings",
};

/** Converts a non-null value to its canonical form. */
function convertValue(
  state: CheckState,
  kind: ConditionFieldKind,
  value: unknown,
  at: string,
): unknown {
  if (state.users && typeof value === "string" && value.startsWith("$user")) {
    return checkUserReference(state, kind, value, at);
  }
  if (!isStorable(value)) return addError(state, at, NOT_STORABLE);
  if (state.clock && (kind === "time" || kind === "date") && isRelative(value)) {
    const moment = resolveRelativeTime(value, state.clock);
    if (!moment) return addError(state, at, `must be ${RELATIVE_TIME_FORM}`);
    return kind === "time" ? moment.toUTC().toISO() : moment.toISODate();
  }
  const typed = CONVERTERS[kind](value);
  return typed === undefined ? addMismatch(state, kind, at) : typed;
}

function checkUserReference(
  state: CheckState,
  kind: ConditionFieldKind,
  value: string,
  at: string,
): unknown {
  if (value === ROLES) {
    return kind === "texts" || kind === "json" ? value : addMismatch(state, kind, at);
  }
  if (!USER_IDS.has(value)) return addError(state, at, "must be $user.id or $user.roles");
  return kind === "text" || kind === "json" ? value : addMismatch(state, kind, at);
}

const isRelative = (value: unknown): value is string =>
  typeof value === "string" && isRelativeTime(value);

const CONVERTERS: Readonly<Record<ConditionFieldKind, (value: unknown) => unknown>> = {
  text: (value) => (typeof value === "string" ? value : undefined),
  number: (value) => (typeof value === "number" ? value : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  time: (value) => (typeof value === "string" ? parseTime(value) : undefined),
  date: (value) => (typeof value === "string" ? parseDate(value) : undefined),
  json: (value) => value,
  texts: (value) =>
    Array.isArray(value) && value.every((member) => typeof member === "string") ? value : undefined,
};

const EXPECTED: Readonly<Record<ConditionFieldKind, string>> = {
  ...NOUNS,
  time: "a time such as 2026-01-31T09:00:00Z, or a date such as 2026-01-31",
  date: "a date such as 2026-01-31",
};

function addMismatch(state: CheckState, kind: ConditionFieldKind, at: string): undefined {
  return addError(state, at, `must be ${EXPECTED[kind]}`);
}

function addError(state: CheckState, path: string, message: string): undefined {
  state.errors.push({ path, message });
}

const NOT_STORABLE = "must not contain NUL characters or unpaired surrogates";

/** True if PostgreSQL can store the value: no text contains NUL or an unpaired surrogate. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member));
}

/** Wraps `$user.roles` in a list, because the caller's roles are a list. */
function expandRoles(value: unknown): unknown {
  if (value === ROLES) return [ROLES];
  if (Array.isArray(value)) return value.map(expandRoles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expandRoles(member)]),
  );
}
