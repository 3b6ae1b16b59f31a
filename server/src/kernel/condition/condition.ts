/**
 * Conditions: one small language for webhook filters, trigger filters, record filters and SLA
 * conditions.
 *
 *     { "type": "incident.created",
 *       "data.severity": { "in": ["critical", "high"] },
 *       "or": [{ "data.impact": { "gte": 3 } }, { "not": { "data.team": "ops" } }] }
 *
 * - A key is a path of words with dots between them, and its value is what must hold there: a literal
 *   (short for `eq`) or an object of operators, all of which must hold. All keys of an object must
 *   hold; `{}` holds always. `and`, `or` (lists) and `not` (an object) combine conditions.
 * - A path reads own properties of objects, and members of arrays by their index; a text has
 *   neither. A property whose name has a dot in it cannot be reached.
 * - Null and missing are the same: there is nothing. `eq: null` and `exists: false` hold for both,
 *   since a column of a table cannot tell them apart either.
 * - `eq` compares by type and value: `1` is not `"1"`. Arrays and objects are equal when all their
 *   members are; inside them a null is only equal to a null.
 * - `in` holds when `eq` does for a member of the list. `ne` and `nin` are the exact negations of
 *   `eq` and `in`, so they hold where there is nothing, unless null is what they exclude.
 * - `gt`, `gte`, `lt`, `lte` hold only between two numbers, or between two texts, by code points:
 *   times in ISO 8601, UTC, so compare by time. (In SQL: `collate "C"`, the bytes of UTF-8.)
 * - `contains` holds for a text that has the operand in it, and for an array that has a member
 *   equal to it. `startsWith` and `endsWith` hold for texts. Case counts.
 * - Anything else does not hold; no value makes a comparison fail.
 */
import Type, { type Static } from "typebox";
import { parseCondition, type ConditionError, type ConditionTree } from "./parse-condition.ts";

/** The schema for the API; `checkCondition` checks the rest, and reports each error with its position. */
export const ConditionSchema = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "A condition: path → literal or operators (`eq`, `ne`, `in`, `nin`, `gt`, `gte`, `lt`, `lte`, " +
    "`contains`, `startsWith`, `endsWith`, `exists`); `and`, `or` and `not` combine conditions.",
  examples: [{ "data.severity": { in: ["critical", "high"] }, not: { "data.team": "ops" } }],
});

export type Condition = Static<typeof ConditionSchema>;

/** The errors of a condition, each with its JSON pointer; empty when it is valid. */
export function checkCondition(value: unknown): readonly ConditionError[] {
  return parseCondition(value).errors;
}

/** The paths that a condition reads, each once; none of one that is not valid. */
export function conditionPaths(condition: Condition): readonly (readonly string[])[] {
  const { tree, errors } = parseCondition(condition);
  if (errors.length > 0) return [];
  const paths = new Map(listPaths(tree).map((path) => [path.join("."), path]));
  return [...paths.values()];
}

function listPaths(tree: ConditionTree): readonly (readonly string[])[] {
  if (tree.kind === "comparison") return [tree.path];
  return tree.kind === "not" ? listPaths(tree.part) : tree.parts.flatMap(listPaths);
}

/** True when a subject has the property that a path names, even where its value is null. */
export function hasPath(subject: unknown, path: readonly string[]): boolean {
  const last = path.at(-1);
  const parent = valueAt(subject, path.slice(0, -1));
  return (
    last !== undefined &&
    typeof parent === "object" &&
    parent !== null &&
    Object.hasOwn(parent, last)
  );
}

/** Reads the value at a path of a subject; null when there is none. */
export type ValueReader = (subject: unknown, path: readonly string[]) => unknown;

/** Compiles a condition that has been checked. The function throws for no subject made of JSON. */
export function compileCondition(
  condition: Condition,
  read: ValueReader = valueAt,
): (subject: unknown) => boolean {
  const { tree, errors } = parseCondition(condition);
  const [error] = errors;
  // Conditions are checked when they are saved; one that is not valid here is our bug.
  if (error !== undefined) throw new TypeError(`Not a condition: ${error.path} ${error.message}`);
  return compile(tree, read);
}

type Predicate = (subject: unknown) => boolean;

function compile(tree: ConditionTree, read: ValueReader): Predicate {
  switch (tree.kind) {
    case "and": {
      const parts = tree.parts.map((part) => compile(part, read));
      return (subject) => parts.every((part) => part(subject));
    }
    case "or": {
      const parts = tree.parts.map((part) => compile(part, read));
      return (subject) => parts.some((part) => part(subject));
    }
    case "not": {
      const part = compile(tree.part, read);
      return (subject) => !part(subject);
    }
    case "comparison": {
      const { path, matches } = tree;
      return (subject) => matches(read(subject, path));
    }
  }
}

/** The value at a path, null when there is none. */
export function valueAt(subject: unknown, path: readonly string[]): unknown {
  let value = subject;
  for (const word of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, word)) return null;
    // `length` is an own property of arrays, but none of theirs that a path may read.
    if (Array.isArray(value) && !INDEX.test(word)) return null;
    // An object that has the property can be read as a record.
    value = (value as Readonly<Record<string, unknown>>)[word];
  }
  return value ?? null;
}

const INDEX = /^\d+$/;
