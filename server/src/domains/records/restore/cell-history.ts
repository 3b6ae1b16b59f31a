/** Reads past values of a record field from the log. */
import Type from "typebox";
import { openTable, type OpenTable, Slug } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { filterEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { ActorSchema, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { type Page, page } from "#kernel/operation/response.ts";
import { line, object, Time } from "#kernel/schema/schema.ts";
import { RecordsRead } from "../permissions.ts";
import { assertVisible } from "../record-access.ts";
import { recordStatements } from "../record-statements.ts";
import { NoSuchRecord, RecordId, toStoredRecord } from "../record.ts";

/** The maximum number of events that one page scans, because most change other fields. */
const EVENTS_MAX = 500;

const CellChange = Type.Object(
  {
    eventId: Type.String(),
    type: Type.String({
      description: "`record.updated`, or the event that created or deleted the record",
    }),
    at: Time,
    actor: ActorSchema,
    before: Type.Unknown(),
    after: Type.Unknown(),
  },
  { title: "CellChange" },
);

type Data = Readonly<Record<string, unknown>>;

export const cellHistory = query({
  id: "records.cell_history",
  route: "GET /api/v1/tables/{slug}/records/{recordId}/history/{field}",
  summary: "List the previous values of a record field",
  description:
    "Newest first. Returns only values that access rules let you see. A page can contain few or no entries and still have a next page. Changes before the field got its current name are not included.",
  permission: RecordsRead,
  params: object({ slug: Slug, recordId: RecordId, field: line(63) }),
  query: object(pageQuery),
  response: page(CellChange),
  example: {
    params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6", field: "status" },
    query: { limit: 50 },
  },
  async run(ctx, { params: { slug, recordId, field }, query: { limit, after } }) {
    const table = await openTable(ctx, slug);
    if (!table.schema.byName.has(field))
      throw invalidField("field", "is not a field that this table stores");
    const before = after === undefined ? undefined : positionOf(after);
    if (after !== undefined && !before)
      throw invalidField("?after", "is not a valid cursor for this list");
    const filter = {
      type: "^record\\.(created|updated|deleted|restored)$",
      resourceType: "record",
      resourceId: recordId,
      before,
    };
    const found = await queryEvents(ctx.tx, filter, EVENTS_MAX + 1);
    return toCellPage(ctx, { table, recordId, field, limit }, found);
  },
});

interface CellQuery {
  readonly table: OpenTable;
  readonly recordId: string;
  readonly field: string;
  readonly limit: number;
}

async function toCellPage(
  ctx: ReadContext,
  { table, recordId, field, limit }: CellQuery,
  found: readonly RecordedEvent[],
): Promise<Page<ReturnType<typeof toChange> & object>> {
  const scanned = found.slice(0, EVENTS_MAX);
  const ofTable = scanned.filter(({ data }) => data["tableId"] === table.schema.id);
  const visible = await filterEvents(visibilityContext(ctx), ctx.caller.principal, ofTable);
  if (visible.length === 0) await assertReadable(ctx, table, recordId);
  const changes = visible.flatMap((event) => toChange(event, field) ?? []);
  const data = changes.slice(0, limit);
  const last =
    changes.length > limit
      ? data.at(-1)?.eventId
      : found.length > EVENTS_MAX
        ? scanned.at(-1)?.id
        : undefined;
  return { data, nextCursor: last ?? null, limit };
}

/** The change of a field in an event; undefined if the event does not change this field. */
function toChange({ id, type, createdAt, actor, data }: RecordedEvent, field: string) {
  const common = { eventId: id, type, at: createdAt, actor };
  if (type === "record.updated") {
    const { before, after, changes } = data as {
      before: Data;
      after: Data;
      changes: readonly string[];
    };
    if (!changes.includes(field)) return undefined;
    return { ...common, before: before[field] ?? null, after: after[field] ?? null };
  }
  const value = (data as Data)[field] ?? null;
  return type === "record.deleted"
    ? { ...common, before: value, after: null }
    : { ...common, before: null, after: value };
}

async function assertReadable(
  { tx }: ReadContext,
  table: OpenTable,
  recordId: string,
): Promise<void> {
  const { schema } = table;
  const text = `select ${recordStatements(schema).all} from ${schema.view} where id = $1`;
  const [row] = await table.retryOnSchemaChange(() => queryRows(tx, text, [recordId]));
  if (!row) throw new Failure(NoSuchRecord);
  await assertVisible(table, toStoredRecord(schema, row).record);
}
