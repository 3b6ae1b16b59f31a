/**
 * Translates conditions to SQL with the same result for a row as `compileCondition` for the record.
 *
 * A SQL comparison with null is neither true nor false; in a condition it does not match. So a comparison is
 * true exactly if it matches, and false or null otherwise. Negations are pushed down to the comparisons and
 * expressed by `is not true`. A comparison without negation keeps a form that an index can serve.
 */
import { patternSource } from "./event-pattern.ts";
import { parseDate, parseTime } from "./parse-time.ts";
import type { Operator } from "./operator.ts";
import { jsonSql } from "./sql-json.ts";
import {
  SQL_OPERATORS,
  textComparisonSql,
  type SqlComparison,
  type PlainOperator,
  type SqlParameters,
} from "./sql-text.ts";
import type { Comparison, ConditionTree } from "./parse-condition.ts";

/** How a column is compared. */
export type ConditionFieldKind = "text" | "number" | "boolean" | "time" | "date" | "json" | "texts";

/** A field at the start of a path. Further words lead into a `json` or `texts` field. */
export interface ConditionField {
  readonly sql: string;
  readonly kind: ConditionFieldKind;
  /** The SQL type: an index on `bigint` cannot serve a `numeric` operand. */
  readonly type?: string;
  /** True for columns of event types. An operand with `*` is then a pattern. */
  readonly hasPatterns?: boolean;
  /** True for JSON columns with an index for `@>`. */
  readonly hasContainmentIndex?: boolean;
}

/**
 * An expression that is true exactly for the rows whose records match. A field unknown to `resolve` is null.
 * Text operands must be well-formed and free of NUL, which `typedCondition` ensures.
 */
export function conditionToSql(
  tree: ConditionTree,
  resolve: (name: string) => ConditionField | undefined,
  parameters: SqlParameters,
): string {
  const write = (part: ConditionTree, negated: boolean): string => {
    switch (part.kind) {
      case "not":
        return write(part.part, !negated);
      case "and":
      case "or": {
        const isAnd = (part.kind === "and") !== negated;
        if (part.parts.length === 0) return String(isAnd);
        const sides = part.parts.map((side) => `(${write(side, negated)})`);
        return sides.join(isAnd ? " and " : " or ");
      }
      case "comparison":
        return comparisonSql(part, { resolve, parameters, negated });
    }
  };
  return write(tree, false);
}

interface SqlContext {
  readonly resolve: (name: string) => ConditionField | undefined;
  readonly parameters: SqlParameters;
  readonly negated: boolean;
}

const NEGATIONS: ReadonlyMap<Operator, PlainOperator> = new Map([
  ["ne", "eq"],
  ["nin", "in"],
]);

function comparisonSql(
  { path, operator, operand, matches }: Comparison,
  { resolve, parameters, negated }: SqlContext,
): string {
  const { root, words } = splitPath(path, resolve);
  const field = root && resolveWords(root, words, parameters);
  // The path has no value in any row.
  if (!root || !field) return String(matches(null) !== negated);
  const plain = NEGATIONS.get(operator);
  const isNegated = negated !== (plain !== undefined);
  const comparison: SqlComparison = {
    operator: plain ?? (operator as PlainOperator),
    operand,
    parameters,
  };
  const containment = containmentSql(root, words, comparison);
  const sql = WRITERS[field.kind](field, comparison);
  const whole = containment === undefined ? sql : `${containment} and ${sql}`;
  return isNegated ? `(${whole}) is not true` : whole;
}

/** Splits a path after its longest prefix that is a field. */
export function splitPath<Field>(
  path: readonly string[],
  resolve: (name: string) => Field | undefined,
): { readonly root: Field | undefined; readonly words: readonly string[] } {
  for (let length = path.length; length > 1; length -= 1) {
    const root = resolve(path.slice(0, length).join("."));
    if (root !== undefined) return { root, words: path.slice(length) };
  }
  return { root: resolve(path[0] ?? ""), words: path.slice(1) };
}

/** A containment implied by an equality within JSON, which an index can serve. */
function containmentSql(
  { sql, kind, hasContainmentIndex }: ConditionField,
  words: readonly string[],
  { operator, operand, parameters }: SqlComparison,
): string | undefined {
  // If a word can be an array index, the document can have two forms.
  const isClear = operator === "eq" && operand !== null && !words.some((word) => INDEX.test(word));
  if (kind !== "json" || !hasContainmentIndex || !isClear) return undefined;
  const whole = words.reduceRight<unknown>((inner, word) => ({ [word]: inner }), operand);
  return `${sql} @> ${parameters.add(JSON.stringify(whole), "jsonb")}`;
}

/** The nested field at the given words, or undefined if it does not exist. */
function resolveWords(
  field: ConditionField,
  words: readonly string[],
  parameters: SqlParameters,
): ConditionField | undefined {
  const [word, ...more] = words;
  if (word === undefined) return field;
  if (field.kind === "json") {
    const sql = words.reduce(
      (inner, key) =>
        // `#>` reads objects and arrays. `->` reads objects only, and would accept `-1` and `01` as indexes.
        INDEX.test(key)
          ? `(${inner} #> ${parameters.add([key], "text[]")})`
          : `(${inner} -> ${parameters.add(key, "text")})`,
      field.sql,
    );
    return { sql, kind: "json" };
  }
  const index = Number(word);
  if (field.kind !== "texts" || more.length > 0 || !INDEX.test(word) || index > INDEX_MAX) {
    return undefined;
  }
  return { sql: `(${field.sql})[${index + 1}]`, kind: "text" };
}

const INDEX = /^(?:0|[1-9]\d*)$/;
/** PostgreSQL counts members from 1, in 32 bits. */
const INDEX_MAX = 2 ** 31 - 2;

type KindWriter = (field: ConditionField, comparison: SqlComparison) => string;

const WRITERS: Readonly<Record<ConditionFieldKind, KindWriter>> = {
  text: (field, comparison) =>
    patternSql(field, comparison) ??
    scalarSql(field, comparison, textOperand) ??
    textComparisonSql(field.sql, comparison),
  number: (field, comparison) => scalarSql(field, comparison, numberOperand(field)) ?? "false",
  boolean: (field, comparison) => scalarSql(field, comparison, booleanOperand) ?? "false",
  time: (field, comparison) =>
    scalarSql(field, comparison, timeOperand) ??
    textComparisonSql(`to_char(${field.sql} at time zone 'UTC', ${TIME_FORMAT})`, comparison),
  date: (field, comparison) =>
    scalarSql(field, comparison, dateOperand) ??
    textComparisonSql(`to_char(${field.sql}, 'YYYY-MM-DD')`, comparison),
  texts: textsSql,
  json: (field, comparison) => jsonSql(field.sql, comparison),
};

/** For event types, an equality with patterns. Undefined for other comparisons. */
function patternSql(
  { sql, hasPatterns }: ConditionField,
  { operator, operand, parameters }: SqlComparison,
): string | undefined {
  const members: readonly unknown[] =
    operator === "in" ? (operand as readonly unknown[]) : operator === "eq" ? [operand] : [];
  const isPattern = (member: unknown): member is string =>
    typeof member === "string" && member.includes("*");
  if (!hasPatterns || !members.some(isPattern)) return undefined;
  const parts = members.map((member) => {
    if (member === null) return presenceSql(sql, false);
    if (!isPattern(member)) return `${sql} = ${parameters.add(member, "text")}`;
    return `${sql} ~ ${parameters.add(patternSource(member), "text")}`;
  });
  return `(${parts.join(" or ")})`;
}

const TIME_FORMAT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** The SQL type of an operand that a column kind can equal or be ordered by. Undefined for other operands. */
type OperandType = (operand: unknown) => { type: string; ordered: boolean } | undefined;

const textOperand: OperandType = (operand) =>
  typeof operand === "string" ? { type: "text", ordered: false } : undefined;
const booleanOperand: OperandType = (operand) =>
  typeof operand === "boolean" ? { type: "boolean", ordered: false } : undefined;
// Only the canonical spelling, because JSON texts are compared literally.
const timeOperand: OperandType = (operand) =>
  typeof operand === "string" && parseTime(operand) === operand
    ? { type: "timestamptz", ordered: true }
    : undefined;
const dateOperand: OperandType = (operand) =>
  typeof operand === "string" && parseDate(operand) === operand
    ? { type: "date", ordered: true }
    : undefined;

function numberOperand(field: ConditionField): OperandType {
  return (operand) => {
    if (typeof operand !== "number") return undefined;
    const isWhole = field.type === "bigint" && Number.isSafeInteger(operand);
    return { type: isWhole ? "bigint" : "numeric", ordered: true };
  };
}

/** For a single-value column: equality, and order by its type. Undefined for other operators. */
function scalarSql(
  field: ConditionField,
  comparison: SqlComparison,
  typeOf: OperandType,
): string | undefined {
  const { operator, operand, parameters } = comparison;
  switch (operator) {
    case "exists":
      return presenceSql(field.sql, operand === true);
    case "eq": {
      if (operand === null) return presenceSql(field.sql, false);
      const found = typeOf(operand);
      return found ? `${field.sql} = ${parameters.add(operand, found.type)}` : "false";
    }
    case "in":
      return memberSql(field, comparison, typeOf);
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const found = typeOf(operand);
      if (!found?.ordered) return undefined;
      return `${field.sql} ${SQL_OPERATORS[operator]} ${parameters.add(operand, found.type)}`;
    }
    case "contains":
    case "startsWith":
    case "endsWith":
      return undefined;
  }
}

function memberSql(
  field: ConditionField,
  { operand, parameters }: SqlComparison,
  typeOf: OperandType,
): string {
  const byType = new Map<string, unknown[]>();
  const members = operand as readonly unknown[];
  for (const member of members) {
    const type = typeOf(member)?.type;
    if (type !== undefined) byType.set(type, [...(byType.get(type) ?? []), member]);
  }
  const parts = [...byType].map(
    ([type, values]) => `${field.sql} = any(${parameters.add(values, `${type}[]`)})`,
  );
  if (members.includes(null)) parts.push(presenceSql(field.sql, false));
  return parts.length === 0 ? "false" : parts.join(" or ");
}

function presenceSql(sql: string, isPresent: boolean): string {
  return `${sql} is ${isPresent ? "not " : ""}null`;
}

function textsSql(
  { sql }: ConditionField,
  { operator, operand, parameters }: SqlComparison,
): string {
  const equal = (list: unknown): string =>
    isTexts(list) ? `${sql} = ${parameters.add(list, "text[]")}` : "false";
  switch (operator) {
    case "exists":
      return presenceSql(sql, operand === true);
    case "eq":
      return operand === null ? presenceSql(sql, false) : equal(operand);
    case "in":
      return (operand as readonly unknown[])
        .map((member) => (member === null ? presenceSql(sql, false) : equal(member)))
        .join(" or ");
    case "contains":
      return typeof operand === "string"
        ? `${sql} @> ${parameters.add([operand], "text[]")}`
        : "false";
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "startsWith":
    case "endsWith":
      return "false";
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((member) => typeof member === "string");
}
