import type { OpenTable } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { SqlParameters } from "#kernel/db/statement.ts";
import { type ListDefinition, listPage, type ListQuery } from "#kernel/list/list.ts";
import { assertPastKept, NO_REVISION, refuseOfPast } from "#kernel/list/past-list.ts";
import { filterEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { findPastState, parsePastTime, PastNotKept } from "#kernel/log/past-state.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { CountedPage } from "#kernel/operation/response.ts";
import { pastRecordsSql, WHOLE_RECORD } from "../past-records.ts";
import { assertVisible, toVisibleRecord, toVisibleRecords } from "../record-access.ts";
import { NoSuchRecord, type TableRecord } from "../record.ts";

/** The query for past records. Some parameters only work for current records. */
type PastQuery = Omit<ListQuery, "count"> & {
  readonly asOf: string;
  readonly count?: string;
  readonly expand?: string;
  readonly fields?: string;
  readonly searchIn?: string;
  readonly at?: number;
};

/** Lists the records of a past time, under current access rules. */
export async function listPastRecords(
  ctx: ReadContext,
  table: OpenTable,
  { asOf, expand, fields: named, searchIn, at: share, count, ...query }: PastQuery,
): Promise<CountedPage<object>> {
  const { schema } = table;
  refuseOfPast({ expand, fields: named, searchIn, at: share });
  const at = parsePastTime(asOf, ctx.now);
  await assertPastKept(
    ctx,
    {
      resourceType: "record",
      table: `(select ${table.columnSql("id")} as id, ${table.columnSql("createdAt")} as created_at from ${schema.view})`,
      marks: WHOLE_RECORD,
      deleted: "record.deleted",
      among: { field: "tableId", value: schema.id },
    },
    at,
  );
  const { fields } = pastRecordsSql(table, { parameters: new SqlParameters(), at });
  const columns = Object.keys(fields);
  const list: ListDefinition = {
    name: `past records of ${schema.id}`,
    from: "",
    select: "doc",
    // The statement below has these columns, including rule operands.
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, { kind }]) => [
        name,
        { sql: quoteColumn(name), kind, nullable: true },
      ]),
    ),
    search: columns
      .filter((name) => fields[name]?.kind === "text" && schema.byName.has(name))
      .map((name) => `coalesce(${quoteColumn(name)}, '')`),
    order: "-createdAt",
    tieBreaker: "id",
  };
  const page = await listPage(
    ctx,
    list,
    { ...query, ...(count !== undefined && { count: "exact" }) },
    {
      from: (parameters) => {
        const past = pastRecordsSql(table, { parameters, at });
        const selected = columns.map((name) => `${past.fields[name]?.sql} as ${quoteColumn(name)}`);
        const where = past.where === undefined ? "" : ` where ${past.where}`;
        return `(select doc, ${selected.join(", ")} from ${past.from}${where}) listed`;
      },
      toItem: ({ doc }) => toKnownRecord(table, doc as Readonly<Record<string, unknown>>),
    },
  );
  const visible = await toVisibleRecords(table, page.data);
  return { ...page, data: visible.map((record) => ({ ...record, ...NO_REVISION })) };
}

function quoteColumn(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The fields of a past state that the table still has. The log stores records as they were written. */
function toKnownRecord(
  { schema }: OpenTable,
  state: Readonly<Record<string, unknown>>,
): TableRecord {
  const names = ["id", "createdAt", "updatedAt", "createdBy", ...schema.byName.keys()];
  const known = names.filter((name) => Object.hasOwn(state, name));
  return Object.fromEntries(known.map((name) => [name, state[name]])) as unknown as TableRecord;
}

/**
 * A past version of a record, in the current columns. Computed columns, and columns that were renamed or deleted
 * since, are omitted. The current access rules apply to the past version.
 */
export async function readPastRecord(
  ctx: ReadContext,
  table: OpenTable,
  { recordId, asOf }: { readonly recordId: string; readonly asOf: string },
): Promise<TableRecord> {
  const { schema } = table;
  const found = await findPastState(ctx.tx, {
    resourceType: "record",
    id: recordId,
    asOf,
    now: ctx.now,
    marks: WHOLE_RECORD,
    created: ["record.created"],
    deleted: ["record.deleted"],
    among: { field: "tableId", value: schema.id },
  });
  if (!found) throw new Failure(PastNotKept);
  const { event, state } = found;
  // As if the record had been created in this form: a change of only hidden fields is hidden, but the record is
  // not.
  const { tableId, tableSlug, tableRevision } = event.data;
  const data = { ...state, tableId, tableSlug, tableRevision };
  const whole = { ...event, type: "record.created", data };
  const visible = await filterEvents(visibilityContext(ctx), ctx.caller.principal, [whole]);
  if (visible.length === 0) throw new Failure(NoSuchRecord);
  const record = toKnownRecord(table, state);
  await assertVisible(table, record);
  return toVisibleRecord(table, record);
}
