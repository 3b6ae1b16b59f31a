/**
 * Conditions: one small language for webhook filters, trigger filters, record filters and SLA conditions.
 *
 * { "type": "incident.created", "data.severity": { "in": ["critical", "high"] },
 * "or": [{ "data.impact": { "gte": 3 } }, { "not": { "data.team": "ops" } }] }
 *
 * - A key is a path of words separated by dots. Its value is a literal (short for `eq`) or an object of
 *   operators, which must all match. All keys of an object must match; `{}` always matches. `and`, `or` (lists)
 *   and `not` (an object) combine conditions.
 * - A path reads own properties of objects and array members by index. It cannot read into a text, or a
 *   property whose name contains a dot.
 * - Null and missing are equal. `eq: null` and `exists: false` match both, because a table column cannot
 *   distinguish them.
 * - `eq` compares type and value: `1` is not `"1"`. Arrays and objects are equal if all their members are;
 *   inside them null only equals null.
 * - `in` matches if `eq` matches a member of the list. `ne` and `nin` are the exact negations of `eq` and `in`,
 *   so they match missing values unless null is excluded.
 * - `gt`, `gte`, `lt`, `lte` compare two numbers, or two texts by code points, which orders ISO 8601 times in
 *   UTC correctly. (In SQL: `collate "C"`, the bytes of UTF-8.)
 * - `contains` matches a text that includes the operand, or an array with an equal member. `startsWith` and
 *   `endsWith` match texts. They are case-sensitive.
 * - Everything else does not match. A comparison never throws.
 */
import Type, { type Static } from "typebox";
import { parseCondition, type ConditionError, type ConditionTree } from "./parse-condition.ts";

/** The schema for the API. `checkCondition` checks the rest and reports each error with its position. */
export const ConditionSchema = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "A condition object: path → literal or operators (`eq`, `ne`, `in`, `nin`, `gt`, `gte`, `lt`, `lte`, `contains`, `startsWith`, `endsWith`, `exists`). `and`, `or` and `not` combine conditions.",
  examples: [{ "data.severity": { in: ["critical", "high"] }, not: { "data.team": "ops" } }],
});

export type Condition = Static<typeof ConditionSchema>;

/** The errors of a condition with their JSON pointers. Empty if it is valid. */
export function checkCondition(value: unknown): readonly ConditionError[] {
  return parseCondition(value).errors;
}

/** Lists the paths used in a condition without duplicates. Empty for an invalid condition. */
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

/** True if the subject has the property at the path, even if its value is null. */
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

/** Reads the value at a path of a subject. Returns null if it does not exist. */
export type ValueReader = (subject: unknown, path: readonly string[]) => unknown;

/** Compiles a checked condition. The function never throws for JSON values. */
export function compileCondition(
  condition: Condition,
  read: ValueReader = valueAt,
): (subject: unknown) => boolean {
  const { tree, errors } = parseCondition(condition);
  const [error] = errors;
  // Conditions are checked when saved, so an invalid one here is a bug.
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

/** The value at a path, or null if it does not exist. */
export function valueAt(subject: unknown, path: readonly string[]): unknown {
  let value = subject;
  for (const word of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, word)) return null;
    // `length` is an own property of arrays, but paths must not read it.
    if (Array.isArray(value) && !INDEX.test(word)) return null;
    // Any object with the property can be read as a record.
    value = (value as Readonly<Record<string, unknown>>)[word];
  }
  return value ?? null;
}

const INDEX = /^\d+$/;
