import Type from "typebox";
import { RecordsRead } from "#domains/tables/permissions.ts";
import {
  retryOnSchemaChange,
  readWithTable,
  requireTable,
} from "#domains/tables/schema/table-cache.ts";
import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import { NoSuchRecord, RecordId, Slug } from "#domains/tables/table.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { sortName } from "#kernel/list/order.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { positionInFilter, filterEvents } from "#kernel/log/event-visibility.ts";
import { EventEnvelope, positionOf, toEventEnvelope } from "#kernel/log/event.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import {
  CURSOR_CHARACTERS_MAX,
  takeFittingPage,
  toPage,
  pageQuery,
} from "#kernel/operation/pagination.ts";
import { type Page, page, dynamicItem, dynamicPage } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { assertVisible, recordGrants } from "../record-access.ts";
import { RecordSchema, type VisibleColumns, toRecord } from "../record.ts";
import { toStoredRecord } from "../table-record.ts";
import { recordStatements } from "../record-statements.ts";
import { expandReferences, parseExpand } from "./expand-references.ts";
import { countOf, listRecordsSql, type RecordListing, type ListPosition } from "./list-sql.ts";
import { parseRecordQuery, orderOf, type RecordQuery, recordQueryParams } from "./record-query.ts";

type Told = ReturnType<typeof toEventEnvelope>;

/** What happened to a record, newest first, also when it is no longer there. */
async function historyOf(
  ctx: ReadContext,
  table: TableSchema,
  id: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<Told>> {
  const before = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !before) throw invalidField("?after", "is not a cursor of this list");
  const filter = { resourceType: "record", resourceId: id, before };
  const found = await queryEvents(ctx.tx, filter, limit + 1);
  const own = found.filter(({ data }) => data["tableSlug"] === table.slug);
  const page = toPage(
    own,
    limit,
    (event) => event,
    (event) => event.id,
  );
  const seen = await filterEvents(positionInFilter(ctx), ctx.caller.principal, page.data);
  // Nothing may be told of it that is kept, or nothing that they see; then it must be there at least.
  if (seen.length === 0 && after === undefined) await assertThere(ctx, table, id);
  return { ...page, data: seen.map(toEventEnvelope) };
}

async function assertThere(ctx: ReadContext, table: TableSchema, id: string): Promise<void> {
  const text = `select ${recordStatements(table).all} from ${table.view} where id = $1`;
  const [row] = await retryOnSchemaChange(ctx, () => queryRows(ctx.tx, text, [id]));
  if (!row) throw new Failure(NoSuchRecord);
  assertVisible(ctx, table, toStoredRecord(table, row).record);
}

/** Some of a list of records, and the place of the last of them when there are more. */
export interface RecordPage {
  readonly data: readonly VisibleColumns[];
  readonly last: ListPosition | undefined;
}

/** How many records are read first where they may be large; then twice as many, and so on. */
const STEP_RECORDS = 16;

/**
 * Up to so many records behind a place, with what they refer to: as many as fit into a page. They are
 * read at once, unless those of the table may be so large that what does not fit is worth sparing.
 */
async function pageFrom(
  ctx: ReadContext,
  { listing, references }: { listing: RecordListing; references: readonly ColumnSchema[] },
  after: ListPosition | undefined,
  limit: number,
): Promise<RecordPage> {
  const { table } = listing.asked;
  const places: ListPosition[] = [];
  const shown: VisibleColumns[] = [];
  for (let step = large.get(table) === false ? limit + 1 : STEP_RECORDS; ; step *= 2) {
    // One more than is shown tells that there are more.
    const count = Math.min(step, limit + 1 - places.length);
    const found = await listRecordsSql(ctx.tx, listing, places.at(-1) ?? after, count);
    places.push(...found.map(({ place }) => place));
    const records = found.slice(0, limit - shown.length).map(({ record }) => record);
    shown.push(...(await expandReferences(ctx, references, records)));
    const data = takeFittingPage(shown);
    const isFull = data.length < shown.length;
    if (isFull || found.length < count || places.length > limit) {
      remember(table, isFull);
      return { data, last: places.length > data.length ? places[data.length - 1] : undefined };
    }
  }
}

/** Whether a page of a table was ever too large for its records; unknown before the first. */
const large = new WeakMap<TableSchema, boolean>();

function remember(table: TableSchema, isFull: boolean): void {
  if (isFull || !large.has(table)) large.set(table, isFull);
}

const shownQuery = {
  fields: recordQueryParams.fields,
  expand: Type.Optional(
    line(
      1_000,
      "References to show as what they refer to, with commas between them. Who may not see that sees null",
    ),
  ),
};

export const listRecords = query({
  id: "records.list",
  route: "GET /api/v1/tables/{slug}/records",
  summary: "List the records of a table",
  description:
    "The newest first, unless `sort` says otherwise. A field that the table's rules hide is null, to " +
    "`filter`, `sort` and `q` as well. A filter on an indexed column uses the index, and so does a sort.",
  permission: RecordsRead,
  params: object({ slug: Slug }),
  query: object({
    ...pageQuery,
    ...recordQueryParams,
    ...shownQuery,
    count: Type.Optional(
      Type.Enum(["exact"], {
        description:
          "Counts all that match, as `pagination.total`; that takes time when they are many",
      }),
    ),
  }),
  response: dynamicPage(RecordSchema),
  example: {
    params: { slug: "orders" },
    query: { limit: 50, filter: '{"status":"open"}', sort: "-createdAt" },
  },
  async run(ctx, { params, query: { limit, after, expand, count, ...question } }) {
    const table = await requireTable(ctx, params.slug);
    const { references, listing } = await readWithTable(ctx, table, () => {
      const named = parseExpand(table, expand);
      return { references: named, listing: listingOf(ctx, table, withFields(question, named)) };
    });
    const { cursors } = ctx.services;
    const name = nameOf(listing, question);
    const from = after === undefined ? undefined : cursors.decode(name, after);
    return retryOnSchemaChange(ctx, async () => {
      const [{ data, last }, total] = await Promise.all([
        pageFrom(ctx, { listing, references }, from, limit),
        count && countOf(ctx.tx, listing.asked),
      ]);
      return {
        data,
        nextCursor: last ? goingOn(cursors.encode(name, last)) : null,
        limit,
        total,
      };
    });
  },
});

export const getRecord = query({
  id: "records.get",
  route: "GET /api/v1/tables/{slug}/records/{recordId}",
  summary: "Read one record",
  description: "With an `ETag`, unless something is expanded that changes by itself.",
  permission: RecordsRead,
  params: object({ slug: Slug, recordId: RecordId }),
  query: object(shownQuery),
  response: dynamicItem(RecordSchema),
  example: {
    params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    query: { expand: "customer" },
  },
  async run(ctx, { params, query: { expand, fields } }) {
    const table = await requireTable(ctx, params.slug);
    const { references, text, values } = await readWithTable(ctx, table, () => {
      const named = parseExpand(table, expand);
      const { recordId } = params;
      const one = oneOf(ctx, table, { recordId, ...withFields({ fields }, named) });
      return { references: named, ...one };
    });
    return retryOnSchemaChange(ctx, async () => {
      const [row] = await queryRows(ctx.tx, text, values);
      if (!row) throw new Failure(NoSuchRecord);
      const { [REVISION]: revision, ...found } = row;
      const record = toRecord(table, found);
      if (references.length === 0) {
        // A column that comes, goes or is renamed changes what is shown, and not the record.
        return { data: record, revision: Number(revision), formRevision: table.revision };
      }
      const [data = record] = await expandReferences(ctx, references, [record]);
      return { data };
    });
  },
});

export const listHistory = query({
  id: "records.history",
  route: "GET /api/v1/tables/{slug}/records/{recordId}/history",
  summary: "List what happened to a record, newest first",
  description:
    "Its events, as the table's rules let you see them: when it was made, each change with what was " +
    "before and after, and its end, after which the history is still there.",
  permission: RecordsRead,
  params: object({ slug: Slug, recordId: RecordId }),
  query: object(pageQuery),
  response: page(EventEnvelope),
  example: {
    params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    query: { limit: 50 },
  },
  async run(ctx, { params, query: asked }) {
    return historyOf(ctx, await requireTable(ctx, params.slug), params.recordId, asked);
  },
});

/** What a caller asks of a table, as a list. */
export function listingOf(
  { caller }: Pick<ReadContext, "caller">,
  table: TableSchema,
  question: RecordQuery,
): RecordListing {
  const asked = parseRecordQuery(table, recordGrants(table, "read", caller), question);
  return { asked, keys: orderOf(asked, question) };
}

/** Cursors of one list lead nowhere in another. */
function nameOf({ asked: { table }, keys }: RecordListing, { filter, q }: RecordQuery): string {
  return JSON.stringify(["records", table.id, sortName(keys), filter, q]);
}

/** A cursor that the next request has room for. */
function goingOn(cursor: string): string {
  if (cursor.length <= CURSOR_CHARACTERS_MAX) return cursor;
  throw invalidField("?sort", "names a field with a text that is too long to go on from in a list");
}

/** What is to be expanded must be there. */
function withFields<Some extends { readonly fields?: string | undefined }>(
  question: Some,
  references: readonly { readonly name: string }[],
): Some {
  if (question.fields === undefined || references.length === 0) return question;
  const names = references.map(({ name }) => name);
  return { ...question, fields: [question.fields, ...names].join(",") };
}

/** Not the name of any field. */
const REVISION = "~revision";

const texts = new WeakMap<TableSchema, string>();

/** The statement that reads one record. For those whom no rule binds there is one text for all. */
function oneOf(
  { caller }: ReadContext,
  table: TableSchema,
  { recordId, fields }: { readonly recordId: string; readonly fields?: string | undefined },
): { text: string; values: readonly unknown[] } {
  const grants = recordGrants(table, "read", caller);
  const usual = !grants && fields === undefined;
  const known = usual ? texts.get(table) : undefined;
  if (known !== undefined) return { text: known, values: [recordId] };
  const { select, where, parameters } = parseRecordQuery(table, grants, { fields });
  const place = parameters.add(recordId, "text");
  const seen = where === undefined ? "" : ` and ${where}`;
  const text =
    `select ${select}, revision as "${REVISION}" from ${table.view} ` +
    `where id = ${place}${seen}`;
  if (usual) texts.set(table, text);
  return { text, values: parameters.values };
}
