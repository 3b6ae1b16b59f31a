import { jsonPointer } from "../schema/json-pointer.ts";
import type { Condition } from "./condition.ts";
import { parseDate, parseTime } from "./parse-time.ts";
import type { Operator } from "./operator.ts";
import type { ConditionFieldKind } from "./sql.ts";
import { parseCondition, type ConditionError } from "./parse-condition.ts";

/** A condition whose fields exist and whose operands are of their kinds, or what is wrong with it. */
export type TypedCondition =
  | { readonly condition: Condition }
  | { readonly errors: readonly ConditionError[] };

/**
 * Checks a condition on the fields of a table, and puts every operand in the one form in which records
 * show such a value: a time with an offset becomes UTC, a day compared with times its beginning.
 * With `users` set, `$user.id` (or `$user`) and `$user.roles` may stand where the caller's are meant.
 */
export function typedCondition(
  condition: unknown,
  fieldOf: (name: string) => ConditionFieldKind | undefined,
  { users = false }: { readonly users?: boolean } = {},
): TypedCondition {
  const { errors } = parseCondition(users ? withRoles(condition) : condition);
  if (errors.length > 0) return { errors };
  const state: ParseState = { fieldOf, users, errors: [] };
  // It is an object, since it was read as a condition.
  const typed = typedObject(state, condition as Condition, "");
  return state.errors.length > 0 ? { errors: state.errors } : { condition: typed };
}

interface ParseState {
  readonly fieldOf: (name: string) => ConditionFieldKind | undefined;
  readonly users: boolean;
  readonly errors: ConditionError[];
}

const ROLES = "$user.roles";
const PERSON = new Set(["$user", "$user.id"]);

function typedObject(state: ParseState, condition: Condition, pointer: string): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([key, value]) => {
      const at = jsonPointer(pointer, key);
      // The shapes of all three were checked.
      if (key === "not") return [key, typedObject(state, value as Condition, at)];
      if (key === "and" || key === "or") {
        const parts = value as readonly Condition[];
        return [key, parts.map((part, index) => typedObject(state, part, `${at}/${index}`))];
      }
      return [key, typedPath(state, key, value, at)];
    }),
  );
}

function typedPath(state: ParseState, path: string, value: unknown, at: string): unknown {
  const [name = "", ...words] = path.split(".");
  const field = state.fieldOf(name);
  if (!field) return addError(state, at, "is not a field of this table");
  const kind = words.length === 0 ? field : kindAtPath(field, words);
  if (!kind) return addError(state, at, `leads into a field that holds ${NOUNS[field]}`);
  if (!words.every(isStorable)) return addError(state, at, STORABLE);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return typedOperand(state, { kind, operator: "eq", operand: value, at });
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, operand]) => {
      const operator = key as Operator;
      return [key, typedOperand(state, { kind, operator, operand, at: `${at}/${key}` })];
    }),
  );
}

/** The kind of what words lead to within a field; undefined where there is never anything. */
function kindAtPath(
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

function typedOperand(state: ParseState, { kind, operator, operand, at }: Operand): unknown {
  const typeMember = (value: unknown, position: string): unknown =>
    value === null ? null : typedValue(state, kind, value, position);
  switch (operator) {
    case "exists":
      return operand;
    case "eq":
    case "ne":
      return typeMember(operand, at);
    case "in":
    case "nin":
      if (state.users && operand === ROLES) {
        return kind === "text" || kind === "json" ? operand : mismatch(state, kind, at);
      }
      return (operand as readonly unknown[]).map((member, index) =>
        typeMember(member, `${at}/${index}`),
      );
    case "contains":
      if (kind === "json") return typedValue(state, kind, operand, at);
      return PARTED.has(kind) || kind === "texts"
        ? typedValue(state, "text", operand, at)
        : addError(state, at, `does not go with ${NOUNS[kind]}`);
    case "startsWith":
    case "endsWith":
      return PARTED.has(kind) || kind === "json"
        ? typedValue(state, "text", operand, at)
        : addError(state, at, `does not go with ${NOUNS[kind]}`);
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return kind === "boolean" || kind === "texts"
        ? addError(state, at, `does not go with ${NOUNS[kind]}`)
        : typedValue(state, kind, operand, at);
  }
}

/** Those whose values are texts in JSON. */
const PARTED: ReadonlySet<ConditionFieldKind> = new Set(["text", "time", "date"]);

const NOUNS: Readonly<Record<ConditionFieldKind, string>> = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  time: "a time",
  date: "a day",
  json: "JSON",
  texts: "a list of texts",
};

/** A value that is not null, in its canonical form. */
function typedValue(
  state: ParseState,
  kind: ConditionFieldKind,
  value: unknown,
  at: string,
): unknown {
  if (state.users && typeof value === "string" && value.startsWith("$user")) {
    return typedUser(state, kind, value, at);
  }
  if (!isStorable(value)) return addError(state, at, STORABLE);
  const typed = READERS[kind](value);
  return typed === undefined ? mismatch(state, kind, at) : typed;
}

function typedUser(
  state: ParseState,
  kind: ConditionFieldKind,
  value: string,
  at: string,
): unknown {
  if (value === ROLES) {
    return kind === "texts" || kind === "json" ? value : mismatch(state, kind, at);
  }
  if (!PERSON.has(value)) return addError(state, at, "must be $user.id or $user.roles");
  return kind === "text" || kind === "json" ? value : mismatch(state, kind, at);
}

const READERS: Readonly<Record<ConditionFieldKind, (value: unknown) => unknown>> = {
  text: (value) => (typeof value === "string" ? value : undefined),
  number: (value) => (typeof value === "number" ? value : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  time: (value) => (typeof value === "string" ? parseTime(value) : undefined),
  date: (value) => (typeof value === "string" ? parseDate(value) : undefined),
  json: (value) => value,
  texts: (value) =>
    Array.isArray(value) && value.every((member) => typeof member === "string") ? value : undefined,
};

const MUST: Readonly<Record<ConditionFieldKind, string>> = {
  ...NOUNS,
  time: "a time as 2026-01-31T09:00:00Z, or a day as 2026-01-31",
  date: "a day as 2026-01-31",
};

function mismatch(state: ParseState, kind: ConditionFieldKind, at: string): undefined {
  return addError(state, at, `must be ${MUST[kind]}`);
}

function addError(state: ParseState, path: string, message: string): undefined {
  state.errors.push({ path, message });
}

const STORABLE = "must hold no NUL and no half of a character";

/** Whether PostgreSQL can hold it: no text anywhere in it has a NUL or half of a surrogate pair. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member));
}

/** Where the caller's roles are meant there will be a list of them. */
function withRoles(value: unknown): unknown {
  if (value === ROLES) return [ROLES];
  if (Array.isArray(value)) return value.map(withRoles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withRoles(member)]));
}
