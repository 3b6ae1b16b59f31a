/**
 * Applies a grid change: creates, updates and deletes records atomically. A paste into thousands of rows is a
 * single transaction and correlation, so it can be undone at once.
 */
import Type, { type Static } from "typebox";
import { openTable, type OpenTable, Slug } from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RecordCreated, RecordDeleted, RecordUpdated } from "../events.ts";
import { RecordsWrite } from "../permissions.ts";
import { RecordForbidden } from "../record-access.ts";
import {
  recordFields,
  RecordId,
  RecordNotUnique,
  RecordReferenced,
  type StoredRecord,
} from "../record.ts";
import { deleteLocked } from "./delete-record.ts";
import { TooManyDependants } from "./dependents.ts";
import { Edit, RecordsChanged, writeEdits } from "./edit-records.ts";
import { insertRecords } from "./insert-records.ts";
import { lockVisible, RecordBudget, TooManyRecords } from "./lock-records.ts";

/** As many as one transaction may lock. */
const RECORDS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

const listOf = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Optional(Type.Array(schema, { maxItems: RECORDS_MAX, description }));

const Changes = object({
  delete: listOf(RecordId, "Records to delete first. Unknown ids are ignored"),
  edit: listOf(Edit, "Records to update next, each with its own fields"),
  create: listOf(recordFields(), "Records to create last, in this order"),
});
type Changes = Static<typeof Changes>;

const WrittenRecord = Type.Object(
  { id: RecordId, revision: Type.Integer() },
  { title: "WrittenRecord" },
);

export const applyRecordChanges = command({
  id: "records.apply",
  route: "POST /api/v1/tables/{slug}/records/changes",
  summary: "Create, update and delete records in one request",
  description:
    `Writes all changes or none; at most ${RECORDS_MAX.toLocaleString("en")} records. If a record does not exist, or has another \`revision\` ` +
    "than its edit, the response is 409 `records_changed`, with the edits in `errors`. " +
    "Changes that access rules do not allow fail with 403 `record_forbidden`. An undo of the correlation reverts all changes.",
  permission: RecordsWrite,
  params: object({ slug: Slug }),
  body: Changes,
  bodyBytesMax: BYTES_MAX,
  response: item(
    Type.Object(
      {
        created: Type.Array(WrittenRecord, { description: "In the order of `create`" }),
        edited: Type.Array(WrittenRecord, { description: "In the order of `edit`" }),
        deleted: Type.Integer({
          description: "Without records that were also deleted because of `onDelete`",
        }),
      },
      { title: "RecordChanges" },
    ),
  ),
  emits: [RecordCreated, RecordUpdated, RecordDeleted],
  allowNoop: true,
  fails: [
    RecordForbidden,
    RecordNotUnique,
    RecordReferenced,
    RecordsChanged,
    TooManyRecords,
    TooManyDependants,
  ],
  example: {
    params: { slug: "orders" },
    body: {
      edit: [{ id: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6", revision: 3, set: { status: "paid" } }],
      create: [{ number: "A-4712", status: "open" }],
    },
  },
  async run(ctx, { params, body }) {
    ctx.expectRevision(NO_REVISION);
    return applyChanges(ctx, await openTable(ctx, params.slug), body);
  },
});

/** Many records have no common revision for If-Match. */
const NO_REVISION = -1;

type ChangeContext = WriteContext<
  typeof RecordCreated | typeof RecordUpdated | typeof RecordDeleted
>;

async function applyChanges(ctx: ChangeContext, table: OpenTable, changes: Changes) {
  const { create = [], edit = [], delete: ids = [] } = changes;
  const count = create.length + edit.length + ids.length;
  if (count === 0) throw invalidField("", "must create, update or delete a record");
  if (count > RECORDS_MAX) {
    throw invalidField("", `must change at most ${RECORDS_MAX.toLocaleString("en")} records`);
  }
  const budget = new RecordBudget();
  let deleted = 0;
  if (ids.length > 0) {
    const locked = await lockVisible(ctx, table, ids, { strength: "for update", budget });
    deleted = await deleteLocked(ctx, table, locked);
    ctx.flush();
  }
  const list = { edits: edit, path: "/edit" };
  const edited = edit.length > 0 ? await writeEdits(ctx, table, list, budget) : [];
  if (edit.length > 0) ctx.flush();
  const created =
    create.length > 0 ? await insertRecords(ctx, table, create, (index) => `/create/${index}`) : [];
  return { created: created.map(toWritten), edited: edited.map(toWritten), deleted };
}

const toWritten = ({ record, revision }: StoredRecord) => ({ id: record.id, revision });
