import { mapInTurns, TurnTimer } from "#kernel/work/turn-timer.ts";
import { sliceWrites } from "./batch-parameters.ts";
import Type from "typebox";
import { openTable, type OpenTable, Slug } from "#domains/tables/index.ts";
import { type Condition, ConditionSchema } from "#kernel/condition/condition.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { command } from "#kernel/operation/operation.ts";
import { noContent, item, type DynamicItem, dynamicItem } from "#kernel/operation/response.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { RecordCreated, RecordDeleted, RecordUpdated } from "../events.ts";
import { RecordsWrite } from "../permissions.ts";
import {
  assertNoViolations,
  RecordForbidden,
  toVisibleRecord,
  toVisibleRecords,
  updateViolations,
} from "../record-access.ts";
import {
  checkSize,
  recordFields,
  RecordId,
  type RecordInput,
  RecordNotUnique,
  RecordReferenced,
  RecordSchema,
  storedSize,
  toStoredRecord,
} from "../record.ts";
import { settleFiles } from "../files/record-files.ts";
import { assertLinks } from "./check-links.ts";
import { assertMembers } from "./check-members.ts";
import { explainConstraint, invalidRecord } from "./constraint-error.ts";
import { deleteMatching, deleteRecord } from "./delete-record.ts";
import { readRecords, TooManyDependants } from "./dependents.ts";
import { insertRecords } from "./insert-records.ts";
import { lockMatching, TooManyRecords } from "./lock-records.ts";
import {
  applyChanges,
  CHANGED,
  emitUpdated,
  parseUpdate,
  updateRecord,
  updateStatement,
} from "./update-record.ts";
import { upsertRecords } from "./upsert-records.ts";

const BULK_RECORDS_MAX = 1_000;
const BULK_BYTES_MAX = 16 * 1024 * 1024;

const InTable = object({ slug: Slug });
const ById = object({ slug: Slug, recordId: RecordId });
const RecordList = Type.Array(recordFields(), { minItems: 1, maxItems: BULK_RECORDS_MAX });

const inOrders = { params: { slug: "orders" } };
const anOrder = { params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" } };
/** Many records have no common revision for If-Match. */
const NO_REVISION = -1;
const RULES_APPLY = "Changes that access rules do not allow fail with 403 `record_forbidden`.";

interface CreatedRecord extends DynamicItem {
  readonly location: string;
}

export const createRecord = command({
  id: "records.create",
  effect: "ordinary",
  route: "POST /api/v1/tables/{slug}/records",
  summary: "Create a record",
  description: `The body contains the fields of the record. Omitted fields get their defaults. If another record has the same value in a unique field, the response is 409 \`record_not_unique\`. ${RULES_APPLY}`,
  permission: RecordsWrite,
  params: InTable,
  body: recordFields(),
  response: dynamicItem<CreatedRecord>(RecordSchema, {
    status: 201,
    location: ({ location }) => location,
  }),
  emits: [RecordCreated],
  fails: [RecordForbidden, RecordNotUnique],
  example: { ...inOrders, body: { number: "A-4711", status: "open", total: 99.5 } },
  async run(ctx, { params, body }) {
    const table = await openTable(ctx, params.slug);
    const [stored] = await insertRecords(ctx, table, [body]);
    if (!stored) throw new Error("A record was inserted and is not there.");
    const { record, revision } = stored;
    const location = `/api/v1/tables/${table.schema.slug}/records/${record.id}`;
    return { data: await toVisibleRecord(table, record), revision, location };
  },
});

export const changeRecord = command({
  id: "records.update",
  effect: "ordinary",
  route: "PATCH /api/v1/tables/{slug}/records/{recordId}",
  summary: "Update a record",
  description: `The body contains the fields to change. If nothing changes, no event is appended. ${RULES_APPLY}`,
  permission: RecordsWrite,
  params: ById,
  body: recordFields({ minProperties: 1 }),
  response: dynamicItem(RecordSchema),
  emits: [RecordUpdated],
  allowNoop: true,
  fails: [RecordForbidden, RecordNotUnique],
  example: { ...anOrder, body: { status: "paid" } },
  async run(ctx, { params, body }) {
    const table = await openTable(ctx, params.slug);
    const { record, revision } = await updateRecord(ctx, table, params.recordId, body);
    return { data: await toVisibleRecord(table, record), revision };
  },
});

export const removeRecord = command({
  id: "records.delete",
  route: "DELETE /api/v1/tables/{slug}/records/{recordId}",
  summary: "Delete a record",
  description: `\`onDelete\` of each reference to the record defines what happens: the deletion fails with 409 \`record_referenced\`, the reference becomes null, or the referring record is deleted too. Each changed record has its own event. ${RULES_APPLY}`,
  permission: RecordsWrite,
  params: ById,
  response: noContent(),
  emits: [RecordDeleted, RecordUpdated],
  fails: [RecordForbidden, RecordReferenced, TooManyDependants],
  example: anOrder,
  async run(ctx, { params }) {
    await deleteRecord(ctx, await openTable(ctx, params.slug), params.recordId);
  },
});

export const createRecords = command({
  id: "records.bulk_create",
  effect: "drastic",
  route: "POST /api/v1/tables/{slug}/records/bulk",
  summary: "Create many records",
  description: `Creates all records or none. Errors contain the path of the record. ${RULES_APPLY}`,
  permission: RecordsWrite,
  params: InTable,
  body: object({ records: RecordList }),
  bodyBytesMax: BULK_BYTES_MAX,
  response: dynamicItem(Type.Array(RecordSchema), { status: 201 }),
  emits: [RecordCreated],
  fails: [RecordForbidden, RecordNotUnique],
  example: { ...inOrders, body: { records: [{ number: "A-1" }, { number: "A-2" }] } },
  async run(ctx, { params, body }) {
    const table = await openTable(ctx, params.slug);
    const stored = await insertRecords(ctx, table, body.records, (index) => `/records/${index}`);
    return {
      data: [
        ...(await toVisibleRecords(
          table,
          stored.map(({ record }) => record),
        )),
      ],
    };
  },
});

export const changeRecords = command({
  id: "records.bulk_update",
  effect: "drastic",
  route: "PATCH /api/v1/tables/{slug}/records/bulk",
  summary: "Update all records that match a condition",
  description: `Updates all records or none, at most 10,000. \`updated\` is the number of records that changed. Only records that you can view are updated. ${RULES_APPLY}`,
  permission: RecordsWrite,
  params: InTable,
  body: object({ filter: ConditionSchema, set: recordFields({ minProperties: 1 }) }),
  bodyBytesMax: BULK_BYTES_MAX,
  response: item(Type.Object({ updated: Type.Integer() })),
  emits: [RecordUpdated],
  allowNoop: true,
  fails: [RecordForbidden, RecordNotUnique, TooManyRecords],
  example: { ...inOrders, body: { filter: { status: "open" }, set: { status: "closed" } } },
  async run(ctx, { params, body }) {
    ctx.expectRevision(NO_REVISION);
    return { updated: await updateMatching(ctx, await openTable(ctx, params.slug), body) };
  },
});

export const putRecords = command({
  id: "records.upsert",
  effect: "drastic",
  route: "PUT /api/v1/tables/{slug}/records/bulk",
  summary: "Create or update many records",
  description: `\`key\` is a unique field. If a record has the same value, its given fields are updated; otherwise a record is created. Writes all records or none. Concurrent requests create only one record per key. ${RULES_APPLY}`,
  permission: RecordsWrite,
  params: InTable,
  body: object({ key: line(63), records: RecordList }),
  bodyBytesMax: BULK_BYTES_MAX,
  response: dynamicItem(
    Type.Object({
      created: Type.Integer(),
      updated: Type.Integer(),
      unchanged: Type.Integer(),
      records: Type.Array(RecordSchema, { description: "In the order of the request" }),
    }),
  ),
  emits: [RecordCreated, RecordUpdated],
  allowNoop: true,
  fails: [RecordForbidden, RecordNotUnique, TooManyRecords],
  example: {
    ...inOrders,
    body: { key: "number", records: [{ number: "A-4711", status: "paid" }] },
  },
  async run(ctx, { params, body }) {
    const table = await openTable(ctx, params.slug);
    ctx.expectRevision(NO_REVISION);
    const { records, changes: _, existing: __, ...counts } = await upsertRecords(ctx, table, body);
    const visible = [...(await toVisibleRecords(table, records))];
    return { data: { ...counts, records: visible } };
  },
});

export const removeRecords = command({
  id: "records.bulk_delete",
  route: "DELETE /api/v1/tables/{slug}/records/bulk",
  summary: "Delete all records that match a condition",
  description: `Deletes all records or none, at most 10,000. \`deleted\` does not count records that are deleted because of \`onDelete\`. Only records that you can view are deleted. ${RULES_APPLY}`,
  permission: RecordsWrite,
  params: InTable,
  query: object({ filter: text(20_000, "A condition as JSON; `{}` matches all records") }),
  response: item(Type.Object({ deleted: Type.Integer() })),
  emits: [RecordDeleted, RecordUpdated],
  allowNoop: true,
  fails: [RecordForbidden, RecordReferenced, TooManyRecords, TooManyDependants],
  example: { ...inOrders, query: { filter: '{"status":"cancelled"}' } },
  async run(ctx, { params, query: { filter } }) {
    ctx.expectRevision(NO_REVISION);
    return { deleted: await deleteMatching(ctx, await openTable(ctx, params.slug), filter) };
  },
});

export const writeOperations = [
  createRecord,
  changeRecord,
  removeRecord,
  createRecords,
  changeRecords,
  putRecords,
  removeRecords,
] as const;

const SET_PATH = "/set";

/** Updates all records that match a filter, or none; returns the number of changed records. */
async function updateMatching(
  ctx: WriteContext<typeof RecordUpdated>,
  table: OpenTable,
  { filter, set }: { readonly filter: Condition; readonly set: RecordInput },
): Promise<number> {
  const { schema } = table;
  const values = await parseUpdate(ctx, table, set, SET_PATH);
  const ids = await lockMatching(ctx, table, filter, "for no key update");
  if (ids.length === 0) return 0;
  const named = Object.keys(set);
  if (table.grants("update")) {
    // Checked before the statement: an error of PostgreSQL would reveal hidden records.
    const planned = (await readRecords(ctx, table, ids)).map((before) => ({
      before,
      record: applyChanges(ctx, before, values),
    }));
    const judged = planned.flatMap(({ before, record }) => [before, record]);
    const grants = await table.grantsOn("update", judged);
    const violations = await mapInTurns(planned, ({ before, record }) =>
      updateViolations(grants, before, { record, named, path: SET_PATH }),
    );
    // Most records violate the same rules, which are listed once.
    assertNoViolations(table, [
      ...new Map(violations.map((error) => [error.path + error.message, error])).values(),
    ]);
  }
  const { text: statement, values: parameters } = updateStatement(ctx, schema, ids, values);
  const rows = await ctx.send<SqlRow>(statement, parameters, explainConstraint(table, SET_PATH));
  const changed = await mapInTurns(rows, (row) => {
    if (row[CHANGED] !== true) return [];
    const before = toStoredRecord(schema, row).record;
    return [{ before, record: applyChanges(ctx, before, values), named, path: SET_PATH }];
  });
  const largest = changed.reduce((most, { record }) => Math.max(most, storedSize(record)), 0);
  const errors = checkSize(largest, SET_PATH);
  if (errors.length > 0) throw invalidRecord(table, errors);
  await assertMembers(ctx, table, changed);
  await assertLinks(ctx, table, changed);
  await settleFiles(ctx, table, changed);
  const turn = new TurnTimer();
  for (const slice of sliceWrites(schema, changed)) {
    for (const { before, record } of slice) emitUpdated(ctx, table, before, record);
    if (slice.length === changed.length) break;
    // Writing all events at the end would block the event loop for too long.
    ctx.flush();
    await turn.next();
  }
  return changed.length;
}
