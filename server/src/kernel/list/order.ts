/**
 * The order of a list, and keyset pagination.
 *
 * A page starts after the last row of the previous one, by the values of that row: an index on (column, id)
 * finds them immediately at any depth. If the leading column can be null, the rows without a value form a
 * separate part, last when ascending and first when descending, read by a separate statement, because no single
 * condition on both parts can use the index.
 */
import type { ConditionFieldKind } from "../condition/sql.ts";
import type { SqlParameters } from "../condition/sql-text.ts";
import { invalidField } from "../operation/failure.ts";

/** One key of an order. */
export interface SortKey {
  readonly field: string;
  readonly sql: string;
  /** The SQL type for casting its values. */
  readonly type: string;
  readonly descending: boolean;
  readonly nullable: boolean;
}

/** A sortable field. */
export type SortField = Omit<SortKey, "field" | "descending"> & {
  readonly kind: ConditionFieldKind;
};

const SORT_FIELDS_MAX = 4;
const SORTABLE: ReadonlySet<ConditionFieldKind> = new Set([
  "text",
  "number",
  "boolean",
  "time",
  "date",
]);

/** Parses `-createdAt,name`. The unique field `tieBreaker` ends every order, so no two rows have the same position. */
export function parseSort(
  sort: string,
  tieBreaker: string,
  fieldOf: (name: string) => SortField | undefined,
): readonly SortKey[] {
  const words = sort.split(",").map((word) => word.trim());
  if (words.length > SORT_FIELDS_MAX) {
    throw invalidField("?sort", `can contain at most ${SORT_FIELDS_MAX} fields`);
  }
  const keys = words.map((word) => parseSortKey(word, fieldOf));
  if (new Set(keys.map(({ field }) => field)).size < keys.length) {
    throw invalidField("?sort", "must not contain a field twice");
  }
  const index = keys.findIndex(({ field }) => field === tieBreaker);
  if (index !== -1) return keys.slice(0, index + 1);
  const descending = keys.at(-1)?.descending ?? false;
  return [...keys, parseSortKey(descending ? `-${tieBreaker}` : tieBreaker, fieldOf)];
}

function parseSortKey(word: string, fieldOf: (name: string) => SortField | undefined): SortKey {
  const descending = word.startsWith("-");
  const name = descending ? word.slice(1) : word;
  const found = fieldOf(name);
  if (!found) throw invalidField("?sort", `contains "${name}", which is not a field of this table`);
  const { kind, ...field } = found;
  if (!SORTABLE.has(kind)) throw invalidField("?sort", `contains "${name}", which can't be sorted`);
  return { field: name, ...field, descending };
}
/** The order in SQL. PostgreSQL sorts nulls last when ascending, and first when descending. */
export function orderBySql(keys: readonly SortKey[]): string {
  return keys.map(({ sql, descending }) => (descending ? `${sql} desc` : sql)).join(", ");
}

/** Returns a name for the order, because a cursor is valid only for its order. */
export function sortName(keys: readonly SortKey[]): string {
  return keys
    .map(({ field, type, descending }) => `${field} ${type}${descending ? " desc" : ""}`)
    .join(", ");
}

export type KeysetCondition = (parameters: SqlParameters) => string;

/** The conditions for the rows after one with these values, one per statement, in order. */
export function afterCursorConditions(
  keys: readonly SortKey[],
  values: readonly unknown[],
): readonly KeysetCondition[] {
  const [leading, ...others] = keys;
  if (!leading) return [];
  const [value, ...rest] = values;
  if (value === null) {
    const amongNulls: KeysetCondition = (parameters) =>
      `${leading.sql} is null and (${afterSql(others, rest, parameters)})`;
    return leading.descending ? [amongNulls, () => `${leading.sql} is not null`] : [amongNulls];
  }
  const afterCursor: KeysetCondition = (parameters) => afterValueSql(keys, values, parameters);
  const hasNulls = leading.nullable && !leading.descending;
  return hasNulls ? [afterCursor, () => `${leading.sql} is null`] : [afterCursor];
}

/** After a row whose leading value is not null, among the rows with a value. */
function afterValueSql(
  keys: readonly SortKey[],
  values: readonly unknown[],
  parameters: SqlParameters,
): string {
  const [leading, ...others] = keys;
  if (!leading) return "false";
  const alike = others.every(
    ({ nullable, descending }) => !nullable && descending === leading.descending,
  );
  if (alike) {
    const operands = keys.map(({ type }, index) => parameters.add(values[index], type));
    const columns = keys.map(({ sql }) => sql);
    return `(${columns.join(", ")}) ${leading.descending ? "<" : ">"} (${operands.join(", ")})`;
  }
  // The index scan starts at this bound.
  const bound = parameters.add(values[0], leading.type);
  const atLeast = `${leading.sql} ${leading.descending ? "<=" : ">="} ${bound}`;
  return `${atLeast} and (${afterSql(keys, values, parameters)})`;
}

/** After a row in the order of these keys, any of which can be null. */
function afterSql(
  keys: readonly SortKey[],
  values: readonly unknown[],
  parameters: SqlParameters,
): string {
  const [key, ...others] = keys;
  if (!key) return "false";
  const [value, ...rest] = values;
  const { sql, descending, nullable, type } = key;
  const operand = value === null ? "" : parameters.add(value, type);
  const same = value === null ? `${sql} is null` : `${sql} = ${operand}`;
  const later = others.length === 0 ? [] : [`${same} and (${afterSql(others, rest, parameters)})`];
  if (value === null)
    return [...later, ...(descending ? [`${sql} is not null`] : [])].join(" or ") || "false";
  const beyond = `${sql} ${descending ? "<" : ">"} ${operand}`;
  const nulls = nullable && !descending ? [`${sql} is null`] : [];
  return [beyond, ...nulls, ...later].join(" or ");
}
