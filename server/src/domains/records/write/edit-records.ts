/**
 * Edits of many records, each with its own fields: a paste or fill in a grid. An edit may name the revision it is
 * based on; if one is outdated, no edit is applied.
 */
import Type, { type Static } from "typebox";
import { COLUMNS_MAX, openTable, type OpenTable, Slug } from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, failure, type FieldError } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type DynamicItem, dynamicItem, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RecordUpdated } from "../events.ts";
import { RecordsWrite } from "../permissions.ts";
import { RecordForbidden, toVisibleRecords } from "../record-access.ts";
import {
  RecordId,
  type RecordInput,
  RecordNotUnique,
  RecordSchema,
  type StoredRecord,
} from "../record.ts";
import { readRecords } from "./dependents.ts";
import { lockVisible, RecordBudget } from "./lock-records.ts";
import { updateEach } from "./update-many.ts";

const EDITS_MAX = 1_000;
const BYTES_MAX = 16 * 1024 * 1024;

export const RecordsChanged = failure(
  "records_changed",
  409,
  "Some of these records were changed or deleted by someone else.",
);

export const Edit = object({
  id: RecordId,
  revision: Type.Optional(Type.Integer({ description: "The revision that the edit is based on" })),
  set: Type.Unsafe<RecordInput>({
    type: "object",
    minProperties: 1,
    maxProperties: COLUMNS_MAX,
    description: "The fields to change",
  }),
});
export type Edit = Static<typeof Edit>;

export const editRecords = command({
  id: "records.edit",
  effect: "drastic",
  route: "POST /api/v1/tables/{slug}/records/edits",
  summary: "Update many records, each with its own fields",
  description:
    "Updates all records or none. If a record does not exist, or has another `revision` than its edit, the response is 409 `records_changed`, with the edits in `errors`. Records are returned in the order of the edits. Changes that access rules do not allow fail with 403 `record_forbidden`.",
  permission: RecordsWrite,
  params: object({ slug: Slug }),
  body: object({ edits: Type.Array(Edit, { minItems: 1, maxItems: EDITS_MAX }) }),
  bodyBytesMax: BYTES_MAX,
  response: dynamicItem(Type.Array(withRevision(RecordSchema))),
  emits: [RecordUpdated],
  allowNoop: true,
  fails: [RecordForbidden, RecordNotUnique, RecordsChanged],
  example: {
    params: { slug: "orders" },
    body: {
      edits: [
        { id: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6", revision: 3, set: { status: "paid" } },
        { id: "rec_01jzt3n5k8q2x4v6w8y0z2b4d7", revision: 1, set: { status: "open", total: 9.5 } },
      ],
    },
  },
  run: async (ctx, { params, body }) =>
    applyEdits(ctx, await openTable(ctx, params.slug), body.edits),
});

async function applyEdits(
  ctx: WriteContext<typeof RecordUpdated>,
  table: OpenTable,
  edits: readonly Edit[],
): Promise<DynamicItem> {
  const results = await writeEdits(ctx, table, { edits, path: "/edits" }, new RecordBudget());
  const visible = await toVisibleRecords(
    table,
    results.map(({ record }) => record),
  );
  return { data: visible.map((record, n) => ({ ...record, revision: results[n]?.revision ?? 0 })) };
}

interface EditList {
  readonly edits: readonly Edit[];
  /** The path of the list in the request. */
  readonly path: string;
}

/** Writes edits, all or none; returns the records in the order of the edits. */
export async function writeEdits(
  ctx: WriteContext<typeof RecordUpdated>,
  table: OpenTable,
  list: EditList,
  budget: RecordBudget,
): Promise<readonly StoredRecord[]> {
  const revisions = await lockRevisions(ctx, table, list, budget);
  const stored = await readRecords(ctx, table, [...revisions.keys()]);
  const before = new Map(stored.map((record) => [record.id, record]));
  const updates = list.edits.flatMap(({ id, set }, n) => {
    const record = before.get(id);
    return record ? [{ before: record, input: set, path: `${list.path}/${n}/set` }] : [];
  });
  const results = await updateEach(ctx, table, updates);
  return results.map(({ record, isChanged }) => ({
    record,
    revision: (revisions.get(record.id) ?? 0) + (isChanged ? 1 : 0),
  }));
}

/** Locks the visible records of the edits; throws if one has another revision than its edit. */
async function lockRevisions(
  ctx: WriteContext<never>,
  table: OpenTable,
  { edits, path }: EditList,
  budget: RecordBudget,
): Promise<ReadonlyMap<string, number>> {
  const ids = edits.map(({ id }) => id);
  const locked = await lockVisible(ctx, table, ids, { strength: "for no key update", budget });
  const text = `select id, revision from ${table.schema.view} where id = any($1::text[])`;
  const rows = await table.retryOnSchemaChange(() => queryRows(ctx.tx, text, [locked]));
  const revisions = new Map(rows.map(({ id, revision }) => [String(id), Number(revision)]));
  const errors = findStaleEdits({ edits, path }, revisions);
  if (errors.length > 0) {
    throw new Failure(RecordsChanged, { errors: errors.slice(0, STALE_EDITS_MAX) });
  }
  return revisions;
}

/** Edits that one answer names. */
const STALE_EDITS_MAX = 1_000;

function findStaleEdits(
  { edits, path }: EditList,
  revisions: ReadonlyMap<string, number>,
): FieldError[] {
  const seen = new Set<string>();
  return edits.flatMap(({ id, revision }, n): FieldError[] => {
    const current = revisions.get(id);
    const isTwice = seen.has(id);
    seen.add(id);
    if (isTwice) return [{ path: `${path}/${n}/id`, message: "appears twice" }];
    if (current === undefined) return [{ path: `${path}/${n}/id`, message: "does not exist" }];
    if (revision === undefined || revision === current) return [];
    return [{ path: `${path}/${n}/revision`, message: `is ${current} now` }];
  });
}
