/** Restores a deleted record from the log: with its id, its creator and its values. */
import {
  type ColumnSchema,
  type Json,
  openTable,
  type OpenTable,
  Slug,
} from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { filterEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { Failure, failure, type FieldError } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type DynamicItem, dynamicItem, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { recordEventData, recordRef, RecordRestored } from "../events.ts";
import { keepPresentFiles, settleFiles } from "../files/record-files.ts";
import { RecordsWrite } from "../permissions.ts";
import {
  assertNoViolations,
  createViolations,
  RecordForbidden,
  toVisibleRecord,
} from "../record-access.ts";
import { withVersion } from "../record-statements.ts";
import {
  NoSuchRecord,
  RecordId,
  RecordNotUnique,
  RecordSchema,
  type TableRecord,
} from "../record.ts";
import { assertLinks } from "../write/check-links.ts";
import { assertMembers } from "../write/check-members.ts";
import { explainConstraint, invalidRecord } from "../write/constraint-error.ts";
import { storedValue } from "../write/insert-records.ts";

/** The maximum number of events counted for the revision: more than a deleted record has in practice. */
const EVENTS_MAX = 1_000;

const RecordPresent = failure("record_present", 409, "The record is not deleted.");

export const restoreRecord = command({
  id: "records.restore",
  effect: "ordinary",
  route: "POST /api/v1/tables/{slug}/records/{recordId}/restore",
  summary: "Restore a deleted record",
  description:
    "Restores the record with its id, and the values and comments that the log still contains. Fields that were dropped later are omitted. Requires permission to view the record as it was and to create such a record. Fails if a referenced record is deleted, or if another record has the same unique value. Does not restore records that were deleted together with the record, or references that were cleared.",
  permission: RecordsWrite,
  params: object({ slug: Slug, recordId: RecordId }),
  response: dynamicItem(withRevision(RecordSchema)),
  emits: [RecordRestored],
  fails: [RecordForbidden, RecordNotUnique, RecordPresent],
  example: { params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  async run(ctx, { params: { slug, recordId } }): Promise<DynamicItem> {
    const table = await openTable(ctx, slug);
    const [restored] = await restoreRecords(ctx, table, [await findDeleted(ctx, table, recordId)]);
    if (!restored) throw new Error("A record was restored and is not there.");
    const { record, revision } = restored;
    return { data: { ...(await toVisibleRecord(table, record)), revision } };
  },
});

interface DeletedRecord {
  readonly record: TableRecord;
  /** The next revision of the record: an old ETag must not match the restored one. */
  readonly revision: number;
}

/** Restores deleted records; all or none. */
export async function restoreRecords(
  ctx: WriteContext<typeof RecordRestored>,
  table: OpenTable,
  deleted: readonly DeletedRecord[],
): Promise<readonly DeletedRecord[]> {
  const { schema } = table;
  const restored: DeletedRecord[] = [];
  for (const { record, revision } of deleted) {
    restored.push({ record: await keepPresentFiles(ctx, table, record), revision });
  }
  const writes = restored.map(({ record }) => ({
    record,
    named: Object.keys(record).filter((name) => schema.byName.has(name)),
    path: deleted.length === 1 ? "" : `/${record.id}`,
  }));
  const grants = await table.grantsOn(
    "create",
    restored.map(({ record }) => record),
  );
  assertNoViolations(
    table,
    writes.flatMap((write) => createViolations(grants, write)),
  );
  await assertMembers(ctx, table, writes);
  await settleFiles(ctx, table, writes);
  await Promise.all(restored.map((one) => insertWhole(ctx, table, one)));
  // After the insert, because restored records may link to each other.
  await assertLinks(ctx, table, writes);
  for (const { record } of restored) {
    ctx.emit(RecordRestored, recordRef(schema, record), recordEventData(schema, record));
  }
  return restored;
}

async function findDeleted(
  ctx: WriteContext<never>,
  table: OpenTable,
  recordId: string,
): Promise<DeletedRecord> {
  const { schema } = table;
  const filter = { resourceType: "record", resourceId: recordId };
  const events = (await queryEvents(ctx.tx, filter, EVENTS_MAX)).filter(
    ({ data, type }) => data["tableId"] === schema.id && !type.startsWith("record.comment_"),
  );
  const last = events[0];
  const [visible] = last
    ? await filterEvents(visibilityContext(ctx), ctx.caller.principal, [last])
    : [];
  if (!last || !visible) throw new Failure(NoSuchRecord);
  if (last.type !== "record.deleted") throw new Failure(RecordPresent);
  return { record: toWholeRecord(ctx, table, last), revision: events.length + 1 };
}

/** The record in an event, in the columns of today. */
export function toWholeRecord(
  ctx: Pick<WriteContext<never>, "now">,
  { schema }: OpenTable,
  { data }: Pick<RecordedEvent, "data">,
): TableRecord {
  const errors: FieldError[] = [];
  const record: Record<string, Json> = {
    id: String(data["id"]),
    createdAt: String(data["createdAt"]),
    updatedAt: ctx.now.toISOString(),
    createdBy: String(data["createdBy"]),
  };
  for (const column of schema.columns) {
    const parsed = parseValue(column, Object.hasOwn(data, column.name) ? data[column.name] : null);
    if ("error" in parsed) errors.push({ path: `/${column.name}`, message: parsed.error });
    else record[column.name] = parsed.value;
  }
  if (errors.length > 0) throw invalidRecord({ schema }, errors);
  return record as unknown as TableRecord;
}

function parseValue(
  column: ColumnSchema,
  value: unknown,
): { readonly value: Json } | { readonly error: string } {
  const { columnType, required } = column;
  if (value === null || value === undefined)
    return required ? { error: "is required" } : { value: null };
  // Generated numbers are restored unchanged.
  return columnType.generated ? { value: value as Json } : columnType.parse(value, column);
}

async function insertWhole(
  ctx: WriteContext<never>,
  table: OpenTable,
  { record, revision }: DeletedRecord,
): Promise<void> {
  const { schema } = table;
  const columns = schema.columns.filter(
    ({ name }) => record[name] !== null && record[name] !== undefined,
  );
  const names = columns.map(({ quoted }) => `, ${quoted}`).join("");
  const places = columns
    .map(({ columnType }, index) => `, $${index + 6}::${columnType.parameterType}`)
    .join("");
  const text = withVersion(
    schema,
    `insert into ${schema.view} (id, created_at, updated_at, created_by, revision${names}) ` +
      `overriding system value values ($1, $2, $3, $4, $5${places})`,
  );
  const values = columns.map(({ name, columnType }) => storedValue(record[name], columnType.store));
  const system = [record.id, record.createdAt, record.updatedAt, record.createdBy, revision];
  await ctx.send<SqlRow>(text, [...system, ...values], explainConstraint(table));
}
