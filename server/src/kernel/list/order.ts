/**
 * The order of a list, and where in it to go on.
 *
 * A page goes on behind the last row of the one before, by that row's own values: what an index of
 * (column, id) finds at once, however far into the list. Where the leading column may be null, the rows
 * without a value are a part of their own, last when ascending and first when descending, which is read
 * by its own statement: no single condition on both parts could be served by the index.
 */
import type { ConditionFieldKind } from "../condition/sql.ts";
import type { SqlParameters } from "../condition/sql-text.ts";
import { invalidField } from "../operation/failure.ts";

/** What a list is sorted by, first to last. */
export interface SortKey {
  readonly field: string;
  readonly sql: string;
  /** What its values are cast to. */
  readonly type: string;
  readonly descending: boolean;
  readonly nullable: boolean;
}

/** A field that a list may be sorted by. */
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

/**
 * Reads `-createdAt,name`. The field `last`, which no two rows have alike, ends every order, so that no
 * two rows are at the same place.
 */
export function parseSort(
  sort: string,
  last: string,
  fieldOf: (name: string) => SortField | undefined,
): readonly SortKey[] {
  const words = sort.split(",").map((word) => word.trim());
  if (words.length > SORT_FIELDS_MAX) {
    throw invalidField("?sort", `must name at most ${SORT_FIELDS_MAX} fields`);
  }
  const keys = words.map((word) => keyOf(word, fieldOf));
  if (new Set(keys.map(({ field }) => field)).size < keys.length) {
    throw invalidField("?sort", "must name each field once");
  }
  const place = keys.findIndex(({ field }) => field === last);
  if (place !== -1) return keys.slice(0, place + 1);
  const descending = keys.at(-1)?.descending ?? false;
  return [...keys, keyOf(descending ? `-${last}` : last, fieldOf)];
}

function keyOf(word: string, fieldOf: (name: string) => SortField | undefined): SortKey {
  const descending = word.startsWith("-");
  const name = descending ? word.slice(1) : word;
  const found = fieldOf(name);
  if (!found) throw invalidField("?sort", `names "${name}", which is not a field of this table`);
  const { kind, ...field } = found;
  if (!SORTABLE.has(kind))
    throw invalidField("?sort", `names "${name}", whose values have no order`);
  return { field: name, ...field, descending };
}
/** The order in SQL; PostgreSQL has nulls last when ascending, and first when descending. */
export function orderBySql(keys: readonly SortKey[]): string {
  return keys.map(({ sql, descending }) => (descending ? `${sql} desc` : sql)).join(", ");
}

/** Tells one order from another, so that no cursor is taken for a place in both. */
export function sortName(keys: readonly SortKey[]): string {
  return keys
    .map(({ field, type, descending }) => `${field} ${type}${descending ? " desc" : ""}`)
    .join(", ");
}

/** A condition that one statement reads the records of; each has parameters of its own. */
export type Part = (parameters: SqlParameters) => string;

/** The parts of the list behind these values of a record, in their order. */
export function afterCursorConditions(
  keys: readonly SortKey[],
  values: readonly unknown[],
): readonly Part[] {
  const [leading, ...others] = keys;
  if (!leading) return [];
  const [value, ...rest] = values;
  if (value === null) {
    const among: Part = (parameters) =>
      `${leading.sql} is null and (${behind(others, rest, parameters)})`;
    return leading.descending ? [among, () => `${leading.sql} is not null`] : [among];
  }
  const beyond: Part = (parameters) => behindValue(keys, values, parameters);
  const hasNulls = leading.nullable && !leading.descending;
  return hasNulls ? [beyond, () => `${leading.sql} is null`] : [beyond];
}

/** Behind a record whose leading value is not null, among those with one. */
function behindValue(
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
    const places = keys.map(({ type }, index) => parameters.add(values[index], type));
    const columns = keys.map(({ sql }) => sql);
    return `(${columns.join(", ")}) ${leading.descending ? "<" : ">"} (${places.join(", ")})`;
  }
  // The bound is what an index is entered by.
  const bound = parameters.add(values[0], leading.type);
  const within = `${leading.sql} ${leading.descending ? "<=" : ">="} ${bound}`;
  return `${within} and (${behind(keys, values, parameters)})`;
}

/** Behind a record in the order of these keys, whichever of them are null. */
function behind(
  keys: readonly SortKey[],
  values: readonly unknown[],
  parameters: SqlParameters,
): string {
  const [key, ...others] = keys;
  if (!key) return "false";
  const [value, ...rest] = values;
  const { sql, descending, nullable, type } = key;
  const place = value === null ? "" : parameters.add(value, type);
  const same = value === null ? `${sql} is null` : `${sql} = ${place}`;
  const later = others.length === 0 ? [] : [`${same} and (${behind(others, rest, parameters)})`];
  if (value === null)
    return [...later, ...(descending ? [`${sql} is not null`] : [])].join(" or ") || "false";
  const beyond = `${sql} ${descending ? "<" : ">"} ${place}`;
  const nulls = nullable && !descending ? [`${sql} is null`] : [];
  return [beyond, ...nulls, ...later].join(" or ");
}
