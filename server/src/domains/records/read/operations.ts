import Type from "typebox";
import {
  type ColumnSchema,
  type OpenTable,
  openTable,
  Slug,
  type TableSchema,
} from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { sortName } from "#kernel/list/order.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { visibilityContext, filterEvents } from "#kernel/log/event-visibility.ts";
import { EventEnvelope, positionOf, toEventEnvelope } from "#kernel/log/event.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import {
  CURSOR_CHARACTERS_MAX,
  takeFittingPage,
  toPage,
  pageQuery,
} from "#kernel/operation/pagination.ts";
import {
  type DynamicItem,
  dynamicItem,
  dynamicPage,
  type Page,
  page,
  withRevision,
} from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { RecordsRead } from "../permissions.ts";
import { assertVisible } from "../record-access.ts";
import { recordStatements } from "../record-statements.ts";
import {
  NoSuchRecord,
  RecordId,
  type RecordResponse,
  RecordSchema,
  toRecord,
  toStoredRecord,
} from "../record.ts";
import { expandReferences, parseExpand } from "./expand-references.ts";
import {
  countRecords,
  type ListPosition,
  parseListing,
  readListedRecords,
  type RecordListing,
} from "./list-sql.ts";
import { parseRecordQuery, type RecordQuery, recordQueryParams } from "./record-query.ts";

const fieldsQuery = {
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
    ...fieldsQuery,
    count: Type.Optional(
      Type.Enum(["exact"], {
        description:
          "Counts all that match, as `pagination.total`; that takes time when they are many",
      }),
    ),
  }),
  response: dynamicPage(withRevision(RecordSchema)),
  example: {
    params: { slug: "orders" },
    query: { limit: 50, filter: '{"status":"open"}', sort: "-createdAt" },
  },
  async run(ctx, { params, query: { limit, after, expand, count, ...recordQuery } }) {
    const table = await openTable(ctx, params.slug);
    const { references, listing } = await table.parse(() => {
      const expanded = parseExpand(table.schema, expand);
      return {
        references: expanded,
        listing: {
          ...parseListing(table, withFields(recordQuery, expanded)),
          hasRevision: true,
        },
      };
    });
    const { cursors } = ctx.services;
    const name = cursorName(listing, recordQuery);
    const from = after === undefined ? undefined : cursors.decode(name, after);
    return table.retryOnSchemaChange(async () => {
      const [{ data, last }, total] = await Promise.all([
        readRecordPage(ctx, table, { listing, references, after: from, limit }),
        count && countRecords(ctx.tx, listing.query),
      ]);
      return {
        data,
        nextCursor: last ? assertCursorLength(cursors.encode(name, last)) : null,
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
  query: object(fieldsQuery),
  response: dynamicItem(RecordSchema),
  example: {
    params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    query: { expand: "customer" },
  },
  async run(ctx, { params, query: { expand, fields } }) {
    const table = await openTable(ctx, params.slug);
    const { schema } = table;
    const { references, text, values } = await table.parse(() => {
      const expanded = parseExpand(schema, expand);
      const { recordId } = params;
      const statement = getStatement(table, { recordId, ...withFields({ fields }, expanded) });
      return { references: expanded, ...statement };
    });
    return table.retryOnSchemaChange(async (): Promise<DynamicItem> => {
      const [row] = await queryRows(ctx.tx, text, values);
      if (!row) throw new Failure(NoSuchRecord);
      const { [REVISION]: revision, ...visible } = row;
      const record = toRecord(schema, visible);
      if (references.length === 0) {
        // A column that comes, goes or is renamed changes the response, and not the record.
        return { data: record, revision: Number(revision), schemaRevision: schema.revision };
      }
      const [data = record] = await expandReferences(ctx.tx, table, references, [record]);
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
  async run(ctx, { params, query: historyQuery }) {
    return readHistory(ctx, await openTable(ctx, params.slug), params.recordId, historyQuery);
  },
});

/** Records of a list, and the position of the last of them when there are more. */
interface RecordPage {
  readonly data: readonly RecordResponse[];
  readonly last: ListPosition | undefined;
}

interface PageRequest {
  readonly listing: RecordListing;
  readonly references: readonly ColumnSchema[];
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

/** Records read first where they may be large; then twice as many, and so on. */
const FIRST_STEP_RECORDS = 16;

/**
 * Reads a page of records with what they refer to: as many as fit into it. They are read at once, unless
 * those of the table may be so large that the ones which do not fit are worth sparing.
 */
async function readRecordPage(
  { tx }: ReadContext,
  table: OpenTable,
  { listing, references, after, limit }: PageRequest,
): Promise<RecordPage> {
  const { schema } = table;
  const positions: ListPosition[] = [];
  const records: RecordResponse[] = [];
  for (
    let step = hasLargePages.get(schema) === false ? limit + 1 : FIRST_STEP_RECORDS;
    ;
    step *= 2
  ) {
    // One record beyond the page tells that there are more.
    const count = Math.min(step, limit + 1 - positions.length);
    const found = await readListedRecords(tx, listing, positions.at(-1) ?? after, count);
    positions.push(...found.map(({ position }) => position));
    const further = found.slice(0, limit - records.length).map(({ record }) => record);
    records.push(...(await expandReferences(tx, table, references, further)));
    const data = takeFittingPage(records);
    const isFull = data.length < records.length;
    if (isFull || found.length < count || positions.length > limit) {
      if (isFull || !hasLargePages.has(schema)) hasLargePages.set(schema, isFull);
      return {
        data,
        last: positions.length > data.length ? positions[data.length - 1] : undefined,
      };
    }
  }
}

/** True once a page of a table was too large for its records; unknown before the first page. */
const hasLargePages = new WeakMap<TableSchema, boolean>();

/** Cursors of one list are invalid in another. */
function cursorName(
  { query: { schema }, keys }: RecordListing,
  { filter, q }: RecordQuery,
): string {
  return JSON.stringify(["records", schema.id, sortName(keys), filter, q]);
}

/** Refuses a cursor that the next request would have no room for. */
function assertCursorLength(cursor: string): string {
  if (cursor.length <= CURSOR_CHARACTERS_MAX) return cursor;
  throw invalidField("?sort", "names a field with a text that is too long to go on from in a list");
}

/** A reference that is expanded must be selected. */
function withFields<Query extends { readonly fields?: string | undefined }>(
  recordQuery: Query,
  references: readonly { readonly name: string }[],
): Query {
  if (recordQuery.fields === undefined || references.length === 0) return recordQuery;
  const names = references.map(({ name }) => name);
  return { ...recordQuery, fields: [recordQuery.fields, ...names].join(",") };
}

/** Not the name of any field. */
const REVISION = "~revision";

const getStatements = new WeakMap<TableSchema, string>();

/** The statement that reads one record. Callers whom no rule limits share one text. */
function getStatement(
  table: OpenTable,
  { recordId, fields }: { readonly recordId: string; readonly fields?: string | undefined },
): { text: string; values: readonly unknown[] } {
  const { schema } = table;
  const isShared = !table.grants("read") && fields === undefined;
  const shared = isShared ? getStatements.get(schema) : undefined;
  if (shared !== undefined) return { text: shared, values: [recordId] };
  const { select, where, parameters } = parseRecordQuery(table, { fields });
  const id = parameters.add(recordId, "text");
  const visible = where === undefined ? "" : ` and ${where}`;
  const text =
    `select ${select}, revision as "${REVISION}" from ${schema.view} ` +
    `where id = ${id}${visible}`;
  if (isShared) getStatements.set(schema, text);
  return { text, values: parameters.values };
}

/** The events of a record, newest first, also when it has been deleted. */
async function readHistory(
  ctx: ReadContext,
  table: OpenTable,
  id: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<ReturnType<typeof toEventEnvelope>>> {
  const before = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !before) throw invalidField("?after", "is not a cursor of this list");
  const filter = { resourceType: "record", resourceId: id, before };
  const found = await queryEvents(ctx.tx, filter, limit + 1);
  const ofTable = found.filter(({ data }) => data["tableSlug"] === table.schema.slug);
  const events = toPage(
    ofTable,
    limit,
    (event) => event,
    (event) => event.id,
  );
  const visible = await filterEvents(visibilityContext(ctx), ctx.caller.principal, events.data);
  // Its events may be deleted by retention, or hidden; then the record must exist at least.
  if (visible.length === 0 && after === undefined) await assertExists(ctx, table, id);
  return { ...events, data: visible.map(toEventEnvelope) };
}

async function assertExists({ tx }: ReadContext, table: OpenTable, id: string): Promise<void> {
  const { schema } = table;
  const text = `select ${recordStatements(schema).all} from ${schema.view} where id = $1`;
  const [row] = await table.retryOnSchemaChange(() => queryRows(tx, text, [id]));
  if (!row) throw new Failure(NoSuchRecord);
  assertVisible(table, toStoredRecord(schema, row).record);
}
