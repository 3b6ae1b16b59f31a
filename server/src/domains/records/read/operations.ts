import Type from "typebox";
import { type OpenTable, openTable, Slug, type TableSchema } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { visibilityContext, filterEvents } from "#kernel/log/event-visibility.ts";
import { EventEnvelope, positionOf, toEventEnvelope } from "#kernel/log/event.ts";
import { asOfListQuery, PastTooLong } from "#kernel/list/past-list.ts";
import { asOfQuery, PastNotKept } from "#kernel/log/past-state.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
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
import { cursorName, readRecordPage, recordPageQuery } from "./list-page.ts";
import { parseListing } from "./list-sql.ts";
import { listPastRecords, readPastRecord } from "./record-as-of.ts";
import { parseRecordQuery, recordQueryParams, toQueriedRecord } from "./record-query.ts";

const fieldsQuery = {
  fields: recordQueryParams.fields,
  expand: Type.Optional(
    line(
      1_000,
      "References, links and files to expand, separated by commas. Records that you can't view are null. Files get URLs that expire",
    ),
  ),
};

export const listRecords = query({
  id: "records.list",
  route: "GET /api/v1/tables/{slug}/records",
  summary: "List records of a table",
  description:
    "Default order: newest first. Fields that access rules hide are null, also for `filter`, `sort` and `q`. Filters and sorting on an indexed column use the index. `after`, `before`, `offset` and `at` set the start of the page. Each record has its `revision`, for `If-Match`.",
  permission: RecordsRead,
  params: object({ slug: Slug }),
  query: object({
    ...recordPageQuery,
    ...recordQueryParams,
    ...fieldsQuery,
    ...asOfListQuery,
  }),
  response: dynamicPage(withRevision(RecordSchema)),
  fails: [PastNotKept, PastTooLong],
  example: {
    params: { slug: "orders" },
    query: { limit: 50, filter: '{"status":"open"}', sort: "-createdAt" },
  },
  async run(ctx, { params, query: { asOf, ...asked } }) {
    const table = await openTable(ctx, params.slug);
    if (asOf !== undefined) return listPastRecords(ctx, table, { ...asked, asOf });
    const { expand, limit, after, before, offset, at, count, ...which } = asked;
    const { references, listing } = await table.parse(() => {
      const expanded = parseExpand(table.schema, expand);
      return {
        references: expanded,
        listing: {
          ...parseListing(table, withFields(which, expanded), ctx.now),
          hasRevision: true,
        },
      };
    });
    const name = cursorName(listing, which);
    const page = { limit, after, before, offset, at, count };
    return table.retryOnSchemaChange(() =>
      readRecordPage(ctx, table, { listing, references, name, page }),
    );
  },
});

export const getRecord = query({
  id: "records.get",
  route: "GET /api/v1/tables/{slug}/records/{recordId}",
  summary: "Get a record",
  description:
    "Has an `ETag`, except with expanded fields that change independently. With `asOf`, returns the record at that time. Computed fields and fields that have been renamed since then are omitted.",
  permission: RecordsRead,
  params: object({ slug: Slug, recordId: RecordId }),
  query: object({ ...fieldsQuery, ...asOfQuery }),
  response: dynamicItem(RecordSchema),
  fails: [PastNotKept],
  example: {
    params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    query: { expand: "customer" },
  },
  async run(ctx, { params, query: { expand, fields, asOf } }) {
    const table = await openTable(ctx, params.slug);
    if (asOf !== undefined) {
      if (expand !== undefined) throw invalidField("?expand", "can't be combined with asOf");
      if (fields !== undefined) throw invalidField("?fields", "can't be combined with asOf");
      return { data: await readPastRecord(ctx, table, { recordId: params.recordId, asOf }) };
    }
    const { schema } = table;
    const {
      references,
      text,
      values,
      toRecord: read,
    } = await table.parse(() => {
      const expanded = parseExpand(schema, expand);
      const { recordId } = params;
      const statement = getStatement(table, { recordId, ...withFields({ fields }, expanded) });
      return { references: expanded, ...statement };
    });
    return table.retryOnSchemaChange(async (): Promise<DynamicItem> => {
      const [row] = await queryRows(ctx.tx, text, values);
      if (!row) throw new Failure(NoSuchRecord);
      const { [REVISION]: revision, ...visible } = row;
      const record = read(visible);
      if (references.length === 0 && schema.computed.size === 0) {
        // The table revision is part of the ETag: adding, deleting or renaming a column changes the response, not
        // the record.
        return { data: record, revision: Number(revision), schemaRevision: schema.revision };
      }
      const [data = record] = await expandReferences(ctx, table, references, [record]);
      return { data };
    });
  },
});

export const listHistory = query({
  id: "records.history",
  route: "GET /api/v1/tables/{slug}/records/{recordId}/history",
  summary: "List the history of a record, newest first",
  description:
    "Returns the events of the record with the fields that you can view. Changes contain the old and new values. Also works for deleted records.",
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

interface GetStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly toRecord: (row: SqlRow) => RecordResponse;
}

const getStatements = new WeakMap<TableSchema, string>();

/** The statement that reads one record. All callers without access rules share one statement text. */
function getStatement(
  table: OpenTable,
  { recordId, fields }: { readonly recordId: string; readonly fields?: string | undefined },
): GetStatement {
  const { schema } = table;
  const isShared = !table.grants("read") && fields === undefined && schema.computed.size === 0;
  const shared = isShared ? getStatements.get(schema) : undefined;
  if (shared !== undefined) {
    return { text: shared, values: [recordId], toRecord: (row) => toRecord(schema, row) };
  }
  const query = parseRecordQuery(table, { fields });
  const { select, where, parameters } = query;
  const id = parameters.add(recordId, "text");
  const visible = where === undefined ? "" : ` and ${where}`;
  const text =
    `select ${select}, revision as "${REVISION}" from ${schema.view} ` +
    `where id = ${id}${visible}`;
  if (isShared) getStatements.set(schema, text);
  return { text, values: parameters.values, toRecord: (row) => toQueriedRecord(query, row) };
}

/** Reads the events of a record, newest first. Includes deleted records. */
async function readHistory(
  ctx: ReadContext,
  table: OpenTable,
  id: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<ReturnType<typeof toEventEnvelope>>> {
  const before = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !before)
    throw invalidField("?after", "is not a valid cursor for this list");
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
  // Its events may be hidden or deleted by retention; in this case the record must exist.
  if (visible.length === 0 && after === undefined) await assertExists(ctx, table, id);
  return { ...events, data: visible.map(toEventEnvelope) };
}

async function assertExists({ tx }: ReadContext, table: OpenTable, id: string): Promise<void> {
  const { schema } = table;
  const text = `select ${recordStatements(schema).all} from ${schema.view} where id = $1`;
  const [row] = await table.retryOnSchemaChange(() => queryRows(tx, text, [id]));
  if (!row) throw new Failure(NoSuchRecord);
  await assertVisible(table, toStoredRecord(schema, row).record);
}
