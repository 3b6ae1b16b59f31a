/**
 * Lists with filters, sorting and search, for example of tickets, items and articles. A domain declares the
 * fields once; query, order, pages and cursors are generic.
 */
import Type, { type Static } from "typebox";
import type { ConditionField } from "../condition/sql.ts";
import { SqlParameters, type SqlRow, queryRows } from "../db/statement.ts";
import type { ReadContext } from "../contract.ts";
import { takeFittingPage } from "../operation/pagination.ts";
import type { CountedPage } from "../operation/response.ts";
import { line, object, text } from "../schema/schema.ts";
import { filterSql, searchSql } from "./filter.ts";
import { type SortKey, sortName, orderBySql, afterCursorConditions, parseSort } from "./order.ts";
import {
  boundCursors,
  jumpQuery,
  type ListPosition,
  type PageStart,
  resolvePageStart,
} from "./page-start.ts";

const FILTER_CHARACTERS_MAX = 20_000;

/** A field of the items by its API name. */
export interface ListField extends ConditionField {
  /** True if it can be null. Fields of kind `json` and `texts` cannot be sorted. */
  readonly nullable?: boolean;
}

export interface ListDefinition {
  /** Part of its cursors, so that cursors of other lists are rejected. */
  readonly name: string;
  /** The SQL after `from`. */
  readonly from: string;
  /** The SQL after `select`: columns or named expressions. */
  readonly select: string;
  readonly fields: Readonly<Record<string, ListField>>;
  /** Text expressions that `q` searches. */
  readonly search: readonly string[];
  /** The default order. */
  readonly order: string;
  /**
   * The unique field that ends every order. Prefer a number: row-level security prevents index use for text
   * comparisons, but not for numbers.
   */
  readonly tieBreaker: string;
}

/** The query parameters of lists. Domains add their own. */
export const listQuery = {
  ...jumpQuery,
  filter: Type.Optional(
    text(
      FILTER_CHARACTERS_MAX,
      'Condition as JSON. Example: `{"state":"new","priority":{"lte":2}}`. Times can have any UTC offset. A date means the start of that day in UTC',
    ),
  ),
  sort: Type.Optional(
    line(
      300,
      "Up to four fields, separated by commas. A `-` before a field sorts in descending order: `priority,-createdAt`. Rows without a value come last, or first in descending order",
    ),
  ),
  q: Type.Optional(line(200, "Searches the text fields; ignores case")),
  count: Type.Optional(
    Type.Enum(["exact"], {
      description:
        "Returns the number of matches as `pagination.total`. Slow if there are many matches",
    }),
  ),
};
const ListQuery = object(listQuery);
export type ListQuery = Static<typeof ListQuery>;

/** An additional condition, with its operands added to the parameters. */
export type ListCondition = (parameters: SqlParameters) => string;

/** One page of a list. All `conditions` must match, in addition to the query. */
export async function listPage<Item>(
  { tx, services: { cursors } }: ReadContext,
  list: ListDefinition,
  query: ListQuery,
  {
    conditions = [],
    toItem,
    from,
  }: {
    readonly conditions?: readonly ListCondition[];
    toItem: (row: SqlRow) => Item;
    /** Replaces the list's `from` if it needs operands. */
    readonly from?: (parameters: SqlParameters) => string;
  },
): Promise<CountedPage<Item>> {
  const { limit, sort = list.order, filter, q } = query;
  const keys = parseSort(sort, list.tieBreaker, (name) => findSortField(list, name));
  const base = buildWhere(list, { filter, q }, { conditions, from });
  // The conditions are part of the name, so a cursor is only valid for the same list.
  const name = JSON.stringify([list.name, sortName(keys), base.where, base.parameters.values]);
  const start = await resolvePageStart({ cursors }, name, keys, {
    query,
    find: async (order, place) => {
      const parameters = new SqlParameters(base.parameters.values);
      const offset = parameters.add(place, "bigint");
      const where = base.where === "" ? [] : [base.where];
      const statement = buildStatement(list, order, { from: base.from, where, limit: 1, offset });
      const [row] = await queryRows(tx, statement, parameters.values);
      return row && toPosition(order, row);
    },
  });
  const rows = start.isBeyond ? [] : await readRows(tx, list, { base, start, limit });
  const fitting = takeFittingPage(rows.slice(0, limit).map(toItem));
  const ends = [rows[0], rows[fitting.length - 1]].map((row) => row && toPosition(keys, row));
  const [first, last] = start.isBackward ? ends.toReversed() : ends;
  const hasMore = rows.length > fitting.length;
  const { next, previous } = boundCursors(start, { first, last, hasMore });
  return {
    data: start.isBackward ? fitting.toReversed() : fitting,
    nextCursor: next ? cursors.encode(name, next) : null,
    previousCursor: previous && cursors.encode(name, previous),
    limit,
    ...(query.offset !== undefined && { offset: query.offset }),
    total: query.count && (await countRows(tx, base)),
  };
}

/** Reads one row more than the page to detect further pages. */
async function readRows(
  tx: ReadContext["tx"],
  list: ListDefinition,
  { base, start, limit }: { base: WhereClause; start: PageStart; limit: number },
): Promise<readonly SqlRow[]> {
  const { keys, from } = start;
  const rows: SqlRow[] = [];
  for (const part of from ? afterCursorConditions(keys, from) : [undefined]) {
    if (rows.length > limit) break;
    const parameters = new SqlParameters(base.parameters.values);
    const where = [base.where, part && `(${part(parameters)})`].filter(Boolean);
    const statement = buildStatement(list, keys, { from: base.from, where, limit: limit + 1 });
    rows.push(...(await queryRows(tx, statement, parameters.values)));
  }
  return rows;
}

function toPosition(keys: readonly SortKey[], row: SqlRow): ListPosition {
  return keys.map((_, index) => row[keysetColumn(index)]);
}

interface WhereClause {
  readonly parameters: SqlParameters;
  readonly from: string;
  /** Empty without conditions. */
  readonly where: string;
}

function buildWhere(
  list: ListDefinition,
  { filter, q }: { readonly filter?: string | undefined; readonly q?: string | undefined },
  {
    conditions,
    from,
  }: {
    readonly conditions: readonly ListCondition[];
    readonly from: ((parameters: SqlParameters) => string) | undefined;
  },
): WhereClause {
  const parameters = new SqlParameters();
  const source = from?.(parameters) ?? list.from;
  const fieldOf = (name: string): ListField | undefined =>
    Object.hasOwn(list.fields, name) ? list.fields[name] : undefined;
  const kindOf = (name: string) => fieldOf(name)?.kind;
  const parts = conditions.map((condition) => condition(parameters));
  if (filter !== undefined) parts.push(filterSql(filter, { kindOf, fieldOf, parameters }));
  if (q !== undefined) parts.push(searchSql(q, list.search, parameters));
  return { parameters, from: source, where: parts.map((part) => `(${part})`).join(" and ") };
}

const CASTS: Readonly<Record<string, string>> = {
  number: "numeric",
  boolean: "boolean",
  time: "timestamptz",
  date: "date",
};

function findSortField(list: ListDefinition, name: string) {
  const field = Object.hasOwn(list.fields, name) ? list.fields[name] : undefined;
  if (!field) return undefined;
  const { sql, kind, type = CASTS[kind] ?? "text", nullable = false } = field;
  return { sql, kind, type, nullable };
}

interface StatementParts {
  readonly from: string;
  readonly where: readonly unknown[];
  readonly limit: number;
  /** The parameter of the number of skipped rows. In this case only the sort values are read. */
  readonly offset?: string;
}

function buildStatement(
  list: ListDefinition,
  keys: readonly SortKey[],
  { from, where, limit, offset }: StatementParts,
): string {
  const keyset = keys.map(({ sql }, index) => `${sql} as "${keysetColumn(index)}"`);
  const select = offset === undefined ? [list.select, ...keyset] : keyset;
  const filter = where.length === 0 ? "" : ` where ${where.join(" and ")}`;
  // A literal number, because the planner prefers worse plans for an unknown limit.
  const page = `limit ${limit}${offset === undefined ? "" : ` offset ${offset}`}`;
  return `select ${select.join(", ")} from ${from}${filter} order by ${orderBySql(keys)} ${page}`;
}

/** The name of an additional column for the cursor. */
function keysetColumn(index: number): string {
  return `~${index}`;
}

async function countRows(tx: ReadContext["tx"], base: WhereClause): Promise<number> {
  const where = base.where === "" ? "" : ` where ${base.where}`;
  const text = `select count(*) as count from ${base.from}${where}`;
  const [row] = await queryRows(tx, text, base.parameters.values);
  return Number(row?.["count"]);
}
