import type { Tx } from "#kernel/db/connection.ts";
import { SqlParameters, type SqlRow, queryRows } from "#kernel/db/statement.ts";
import {
  type SortKey,
  orderBySql,
  type KeysetCondition,
  afterCursorConditions,
} from "#kernel/list/order.ts";
import type { ListPosition } from "#kernel/list/page-start.ts";
import type { OpenTable } from "#domains/tables/index.ts";
import type { RecordResponse } from "../record.ts";
import {
  type ParsedRecordQuery,
  parseOrder,
  parseRecordQuery,
  type RecordQuery,
  toQueriedRecord,
} from "./record-query.ts";

/** A list of records: a query and its order. */
export interface RecordListing {
  readonly query: ParsedRecordQuery;
  readonly keys: readonly SortKey[];
  /** True to include the revision. The field name is not valid for columns. */
  readonly hasRevision?: boolean;
  /** True if a page covers most of the table. */
  readonly isMost?: boolean;
}

/** A record and its list position. */
export interface ListedRecord {
  readonly record: RecordResponse;
  readonly position: ListPosition;
}

/** Parses the query of a list. */
export function parseListing(table: OpenTable, query: RecordQuery, now?: Date): RecordListing {
  const parsed = parseRecordQuery(table, query, now);
  return { query: parsed, keys: parseOrder(parsed, query.sort) };
}

/** Reads up to `count` records after a position, or from the start. */
export async function readListedRecords(
  tx: Tx,
  listing: RecordListing,
  after: ListPosition | undefined,
  count: number,
): Promise<ListedRecord[]> {
  const { query, keys } = listing;
  const parts: readonly (KeysetCondition | undefined)[] = after
    ? afterCursorConditions(keys, after)
    : [undefined];
  const rows: SqlRow[] = [];
  const isMost = await coversMost(tx, query, count);
  for (const part of parts) {
    if (rows.length >= count) break;
    const { text, values } = listStatement({ ...listing, isMost }, part, count);
    rows.push(...(await queryRows(tx, text, values)));
  }
  const hidden = hiddenKeys(listing);
  const hasOwn = hidden.length === 0 && query.batches.size === 0;
  const names = keys.map((key) => (hidden.includes(key) ? HIDDEN + key.field : key.field));
  return rows.slice(0, count).map((row) => {
    const position = names.map((name) => row[name]);
    const visible = hasOwn ? row : pickFields(listing, row);
    return { record: toQueriedRecord(query, visible), position };
  });
}

/** The minimum page size that can cover most of the table. */
const MOST_MIN = 100;

/** Reads the statistics of the table, because the view has none. */
const STATISTICS = `
  select c.reltuples as count from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = (parse_ident($1))[1] and c.relname = (parse_ident($1))[2]`;

/**
 * Returns whether a page is at least half of its table according to statistics. If so, rollups are computed for the
 * entire table: PostgreSQL can do that with parallel workers, but not for the rows of a page.
 */
async function coversMost(
  tx: Tx,
  { batches, schema, where }: ParsedRecordQuery,
  count: number,
): Promise<boolean> {
  if (batches.size === 0 || where !== undefined || count < MOST_MIN) return false;
  const [row] = await queryRows(tx, STATISTICS, [schema.base]);
  const known = Number(row?.["count"] ?? 0);
  return known > 0 && count * 2 >= known;
}

/** Counts the records that match a query. */
export async function countRecords(tx: Tx, query: ParsedRecordQuery): Promise<number> {
  const { schema, parameters } = query;
  const text = `select count(*) as count from ${schema.view}${whereSql(query)}`;
  const [row] = await queryRows(tx, text, parameters.values);
  return Number(row?.["count"]);
}

/** Reads the position of the record at an offset; undefined if the list is shorter. */
export async function readPosition(
  tx: Tx,
  { schema, where, parameters }: ParsedRecordQuery,
  keys: readonly SortKey[],
  place: number,
): Promise<ListPosition | undefined> {
  const all = new SqlParameters(parameters);
  const offset = all.add(place, "bigint");
  const select = keys.map(({ sql }, index) => `${sql} as "${HIDDEN}${index}"`).join(", ");
  const condition = whereSql({ where, parameters: all }, `${select} ${offset}`);
  const text =
    `select ${select} from ${schema.view}${condition} ` +
    `order by ${orderBySql(keys)} limit 1 offset ${offset}`;
  const [row] = await queryRows(tx, text, all.values);
  return row && keys.map((_, index) => row[`${HIDDEN}${index}`]);
}

/** The clause of a statement; its parameter names are unique in the text. */
export function whereSql(
  { where, parameters }: Pick<ParsedRecordQuery, "where" | "parameters">,
  text = "",
): string {
  const rest = parameters.mentionRest(`${where} ${text}`);
  const conditions = [where, rest].filter((condition) => condition !== undefined);
  return conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
}

/** Counts exactly up to this number; beyond it, the planner's estimate is sufficient. */
const COUNTED_MAX = 10_000;

/**
 * Counts the records that match a query exactly if there are few, and otherwise estimates the number. Statistics
 * include records that are hidden from the caller, so a caller with access rules always gets an exact count.
 */
export async function estimateRecords(
  tx: Tx,
  query: ParsedRecordQuery,
): Promise<{ readonly total: number; readonly isEstimate?: true }> {
  if (query.rules.where !== undefined) return { total: await countRecords(tx, query) };
  const { schema, parameters } = query;
  const matching = `select from ${schema.view}${whereSql(query)}`;
  const bounded = `select count(*) as count from (${matching} limit ${COUNTED_MAX + 1}) as r`;
  const [row] = await queryRows(tx, bounded, parameters.values);
  const counted = Number(row?.["count"]);
  if (counted <= COUNTED_MAX) return { total: counted };
  const [explained] = await queryRows(tx, `explain (format json) ${matching}`, parameters.values);
  const [plan] = (explained?.["QUERY PLAN"] ?? []) as readonly ExplainedPlan[];
  return { total: Math.max(counted, plan?.Plan["Plan Rows"] ?? 0), isEstimate: true };
}

interface ExplainedPlan {
  readonly Plan: { readonly "Plan Rows": number };
}

/** Builds the statement for a part of the list. */
export function listStatement(
  { query, keys, hasRevision = false, isMost = false }: RecordListing,
  part: KeysetCondition | undefined,
  count: number,
): { text: string; values: readonly unknown[] } {
  const { schema, where, parameters } = query;
  const all = new SqlParameters(parameters);
  const { select, selectRest, joins } = isByIndex({ query, keys })
    ? { ...query.joined, selectRest: query.joined.select }
    : { ...query, joins: "" };
  const conditions = [where, part && `(${part(all)})`].filter(
    (condition) => condition !== undefined,
  );
  const sortedBy = hiddenKeys({ query, keys })
    .map(({ sql, field }) => `, ${sql} as "${HIDDEN}${field}"`)
    .join("");
  const revision = hasRevision ? ", revision" : "";
  const condition = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  // The limit is a literal: with a parameter, the planner does not know it and prefers other plans.
  const rest = `from ${schema.view}${joins}${condition} order by ${orderBySql(keys)} limit ${count}`;
  const isBatched = query.batches.size > 0 && !keys.some(({ field }) => query.batches.has(field));
  const text = isBatched
    ? batchedText(query, { select: `${selectRest}${sortedBy}${revision}`, rest, isMost })
    : `select ${select}${sortedBy}${revision} ${rest}`;
  return { text, values: all.values };
}

/**
 * Returns whether an index provides the order, so that a page reads only the records it returns. Otherwise a join
 * would run for all sorted rows; a subquery runs only for the page.
 */
function isByIndex({ query: { schema, rules }, keys }: RecordListing): boolean {
  const field = keys[0]?.field ?? "id";
  if (field === "id" || field === "createdAt") return rules.isPlain(field);
  const column = schema.byName.get(field);
  return column !== undefined && (column.indexed || column.unique) && rules.isPlain(field);
}

/**
 * Builds a page with rollups computed together, because a subquery per row would scan the other table
 * repeatedly. The planner knows the row count and chooses between an index and a single scan.
 */
function batchedText({ batches }: ParsedRecordQuery, { select, rest, isMost }: PageText): string {
  const fields = [...batches];
  const figures = fields.map(([name, { none }], n) => `, coalesce(b${n}.v, ${none}) as "${name}"`);
  const joins = fields.map(
    ([, { sql, all }], n) =>
      ` left join ${isMost ? all : sql("listed", '"~key"')} b${n} on b${n}.k = listed."~key"`,
  );
  return (
    `with listed as materialized (select *, row_number() over () as "~place" from ` +
    `(select ${select}, id as "~key" ${rest}) page) ` +
    `select listed.*${figures.join("")} from listed${joins.join("")} order by listed."~place"`
  );
}

interface PageText {
  readonly select: string;
  /** From `from` on. */
  readonly rest: string;
  readonly isMost: boolean;
}

/** Prefix for the name of a sort field that is not selected. */
const HIDDEN = "~";

function hiddenKeys({ query: { fields }, keys }: RecordListing): readonly SortKey[] {
  return keys.filter(({ field }) => !fields.includes(field));
}

/** Leaves out the columns that are only there to sort by. */
function pickFields({ query: { fields }, hasRevision }: RecordListing, row: SqlRow): SqlRow {
  const names = hasRevision ? [...fields, "revision"] : fields;
  return Object.fromEntries(names.map((field) => [field, row[field]]));
}
