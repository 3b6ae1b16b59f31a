/** Reads a page of records, starting at any list position. */
import Type from "typebox";
import type { ColumnSchema, OpenTable, TableSchema } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { sortName } from "#kernel/list/order.ts";
import {
  assertOneStart,
  boundCursors,
  jumpQuery,
  jumpTo,
  type ListPosition,
  type PageQuery,
  type PageStart,
  resolvePageStart,
} from "#kernel/list/page-start.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { CURSOR_CHARACTERS_MAX, takeFittingPage } from "#kernel/operation/pagination.ts";
import type { CountedPage } from "#kernel/operation/response.ts";
import type { RecordResponse } from "../record.ts";
import { expandReferences } from "./expand-references.ts";
import {
  countRecords,
  estimateRecords,
  readListedRecords,
  readPosition,
  type RecordListing,
} from "./list-sql.ts";
import type { RecordQuery } from "./record-query.ts";

/** The paging parameters of a list query. */
export const recordPageQuery = {
  ...jumpQuery,
  at: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Starts the page at this share of all matches, from 0 (first page) to 1 (last page). `pagination.offset` is the approximate number of records before it",
    }),
  ),
  count: Type.Optional(
    Type.Enum(["exact", "estimate"], {
      description:
        "`exact` returns the number of matches as `pagination.total`; slow if there are many matches. `estimate` counts up to 10,000 and estimates larger numbers",
    }),
  ),
};

interface RecordPageQuery extends PageQuery {
  readonly limit: number;
  readonly at?: number | undefined;
  readonly count?: "exact" | "estimate" | undefined;
}

interface PageRequest {
  readonly listing: RecordListing;
  readonly references: readonly ColumnSchema[];
  /** The name of the list that its cursors contain. */
  readonly name: string;
  readonly page: RecordPageQuery;
}

/** Reads a page of records and expands references. */
export async function readRecordPage(
  ctx: ReadContext,
  table: OpenTable,
  request: PageRequest,
): Promise<CountedPage<RecordResponse>> {
  const { listing, name, page } = request;
  const { cursors } = ctx.services;
  const [{ start, offset, isEstimate }, counted] = await Promise.all([
    resolveStart(ctx, request),
    countPage(ctx, request),
  ]);
  const { records, positions } = start.isBeyond
    ? NOTHING
    : await readPart(ctx, table, { ...request, listing: { ...listing, keys: start.keys } }, start);
  const ends = [positions[0], positions[records.length - 1]];
  const [first, last] = start.isBackward ? ends.toReversed() : ends;
  const hasMore = positions.length > records.length;
  const { next, previous } = boundCursors(start, { first, last, hasMore });
  const encode = (position: ListPosition) => assertCursorLength(cursors.encode(name, position));
  return {
    data: start.isBackward ? records.toReversed() : records,
    nextCursor: next ? encode(next) : null,
    previousCursor: previous && encode(previous),
    limit: page.limit,
    offset,
    ...counted,
    ...(isEstimate && { isEstimate }),
  };
}

const NOTHING: RecordPart = { records: [], positions: [] };

interface ResolvedStart {
  readonly start: PageStart;
  /** The offset of the page, if known. */
  readonly offset?: number | undefined;
  readonly isEstimate?: true | undefined;
}

/** A share is an offset from the nearer end, so that the last page is exact even if the count is an estimate. */
async function resolveStart(
  { tx, services }: ReadContext,
  { listing, name, page }: PageRequest,
): Promise<ResolvedStart> {
  const { keys, query } = listing;
  const { after, before, offset, at, limit } = page;
  const find = (order: typeof keys, place: number) => readPosition(tx, query, order, place);
  if (at === undefined) {
    const start = await resolvePageStart(services, name, keys, {
      query: { after, before, offset },
      find,
    });
    return { start, offset };
  }
  assertOneStart({ after, before, offset, at });
  const { total, isEstimate } = await estimateRecords(tx, query);
  const place = Math.min(Math.floor(at * total), Math.max(total - limit, 0));
  const behind = Math.max(total - limit - place, 0);
  const isBackward = place > behind;
  const start = await jumpTo(keys, isBackward ? behind : place, { isBackward, find });
  return { start, offset: place, isEstimate };
}

async function countPage(
  { tx }: ReadContext,
  { listing: { query }, page: { count } }: PageRequest,
): Promise<Pick<CountedPage<never>, "total" | "isEstimate">> {
  if (count === "estimate") return estimateRecords(tx, query);
  return count === "exact" ? { total: await countRecords(tx, query) } : {};
}

/** The records with their positions, including one extra position if there is a next page. */
interface RecordPart {
  readonly records: readonly RecordResponse[];
  readonly positions: readonly ListPosition[];
}

/** The number of records read first if they may be large; each further read doubles it. */
const FIRST_STEP_RECORDS = 16;

/**
 * Reads as many records as fit into a page. Uses one query, unless the records of the table may be so large that
 * reading too many is expensive.
 */
async function readPart(
  ctx: ReadContext,
  table: OpenTable,
  { listing, references, page: { limit } }: PageRequest,
  { from }: PageStart,
): Promise<RecordPart> {
  const { schema } = table;
  const positions: ListPosition[] = [];
  const records: RecordResponse[] = [];
  for (
    let step = hasLargePages.get(schema) === false ? limit + 1 : FIRST_STEP_RECORDS;
    ;
    step *= 2
  ) {
    // An extra record shows that more exist.
    const count = Math.min(step, limit + 1 - positions.length);
    const found = await readListedRecords(ctx.tx, listing, positions.at(-1) ?? from, count);
    positions.push(...found.map(({ position }) => position));
    const further = found.slice(0, limit - records.length).map(({ record }) => record);
    records.push(...(await expandReferences(ctx, table, references, further)));
    const fitting = takeFittingPage(records);
    const isFull = fitting.length < records.length;
    if (isFull || found.length < count || positions.length > limit) {
      if (isFull || !hasLargePages.has(schema)) hasLargePages.set(schema, isFull);
      return { records: fitting, positions };
    }
  }
}

/** True if a page of the table was once too large; unknown before the first page. */
const hasLargePages = new WeakMap<TableSchema, boolean>();

/** Cursors of one list are invalid in another. */
export function cursorName(
  { query: { schema }, keys }: RecordListing,
  { filter, q }: RecordQuery,
): string {
  return JSON.stringify(["records", schema.id, sortName(keys), filter, q]);
}

/** Rejects a cursor that is too long for the next request. */
function assertCursorLength(cursor: string): string {
  if (cursor.length <= CURSOR_CHARACTERS_MAX) return cursor;
  throw invalidField("?sort", "contains a field with a text that is too long for a cursor");
}
