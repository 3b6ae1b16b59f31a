/** Making and changing records: whoever writes one does it here. */
import type { WriteContext } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { idsInOrder, newId } from "#kernel/schema/id.ts";
import type { Json } from "#domains/tables/columns/column-type.ts";
import { type RecordFields, parseFields } from "#domains/tables/columns/parse-fields.ts";
import { assertSchemaCurrent } from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import type { Grant } from "#domains/tables/schema/grants.ts";
import { FIELD_ERRORS_MAX } from "#domains/tables/table.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { RecordCreated, tableIn } from "../events.ts";
import { authorOf } from "#kernel/access/caller.ts";
import { explainBatchError, batchParameters } from "./batch-parameters.ts";
import { assertMembers } from "./check-members.ts";
import { recordStatements } from "../record-statements.ts";
import { type StoredRecord, recordRef, type TableRecord } from "../table-record.ts";
import {
  createViolations,
  assertAllowed,
  recordGrants,
  type WriteContextOfRecord,
} from "../record-access.ts";
import { faultsOfSize, storedSize } from "../table-record.ts";
import { explainConstraint, invalidRecord } from "./constraint-error.ts";

/** The fields of a record as a caller gives them. */
export type RecordInput = Readonly<Record<string, unknown>>;

/** Where in the request each record stands, for the paths of faults. */
export type PathOf = (index: number) => string;

const ONLY: PathOf = () => "";

/** A record that is to be made, and where in the request it stands. */
export interface NewRecord {
  readonly given: RecordInput;
  readonly path: string;
}

/**
 * Makes records, all or none. A single one of a table that fills nothing itself is on its way without
 * waiting for an answer: whatever PostgreSQL has against it, the commit hears.
 */
export async function insertRecords(
  ctx: WriteContext<typeof RecordCreated>,
  table: TableSchema,
  given: readonly RecordInput[],
  pathOf: PathOf = ONLY,
): Promise<StoredRecord[]> {
  const drafts = await newRecords(
    ctx,
    table,
    given.map((fields, index) => ({ given: fields, path: pathOf(index) })),
  );
  return emitCreated(ctx, table, drafts, await insert(ctx, table, drafts));
}

/**
 * What follows when drafts have become records: the rules are asked once more where the table itself
 * fills something, since that may be among what they ask for.
 */
export function emitCreated(
  ctx: WriteContext<typeof RecordCreated>,
  table: TableSchema,
  drafts: readonly WriteContextOfRecord[],
  rows: readonly SqlRow[],
): StoredRecord[] {
  const { generated } = recordStatements(table);
  const byId = new Map(generated.length > 0 ? rows.map((row) => [row["id"], row]) : []);
  const made = drafts.map((draft) => withFilled(table, draft, byId.get(draft.record.id)));
  if (generated.length > 0) assertMayCreate(ctx, table, made);
  return made.map(({ record }) => {
    ctx.emit(RecordCreated, recordRef(table, record), { ...tableIn(table), ...record });
    return { record, revision: 1 };
  });
}

function assertMayCreate(
  { caller }: WriteContext<never>,
  table: TableSchema,
  drafts: readonly WriteContextOfRecord[],
): void {
  const grants = recordGrants(table, "create", caller);
  if (grants) assertAllowed(drafts.flatMap((draft) => createViolations(grants, draft)));
}

/** The rows with what the database filled, where it fills something. */
async function insert(
  ctx: WriteContext<never>,
  table: TableSchema,
  drafts: readonly WriteContextOfRecord[],
): Promise<readonly SqlRow[]> {
  const { insertOne, insertMany, generated, writable } = recordStatements(table);
  const [draft, ...others] = drafts;
  if (!draft) return [];
  const { record, path } = draft;
  if (others.length > 0) {
    const values = [record.createdAt, record.createdBy, ...batchParameters(writable, drafts)];
    return explainBatchError(ctx, table, drafts, () => ctx.send<SqlRow>(insertMany, values));
  }
  const values = writable.map(({ name, columnType }) =>
    storedValue(record[name], columnType.store),
  );
  const sent = ctx.send<SqlRow>(
    insertOne,
    [record.id, record.createdAt, record.createdBy, ...values],
    explainConstraint(ctx, table, path),
  );
  return generated.length > 0 ? sent : [];
}

/** A value of a record as a parameter. */
export function storedValue(value: Json | undefined, store: (value: Json) => unknown): unknown {
  return value === null || value === undefined ? null : store(value);
}

/** The records that there are to be, or everything that is wrong with them. */
export async function newRecords(
  ctx: WriteContext<never>,
  table: TableSchema,
  wanted: readonly NewRecord[],
): Promise<WriteContextOfRecord[]> {
  const { now, caller } = ctx;
  const faults: FieldError[] = [];
  const drafts: WriteContextOfRecord[] = [];
  const nextId = wanted.length === 1 ? () => newId("rec", now.getTime()) : ids(now);
  const time = now.toISOString();
  const createdBy = authorOf(caller);
  for (const { given, path } of wanted) {
    const read = parseFields(table, given, { for: "create", now, person: caller.principal });
    if ("values" in read) {
      const own = { id: nextId(), createdAt: time, updatedAt: time, createdBy };
      const record = recordWith(table, own, read.values);
      faults.push(...faultsOfSize(storedSize(record), path));
      drafts.push({ record, named: Object.keys(given), path });
    } else faults.push(...nestPath(path, read.errors));
    if (faults.length >= FIELD_ERRORS_MAX) break;
  }
  if (faults.length > 0) {
    await assertSchemaCurrent(ctx, table);
    throw invalidRecord(faults.slice(0, FIELD_ERRORS_MAX));
  }
  // Before they are sent: what PostgreSQL has against them would tell of records that are not seen.
  const grants = recordGrants(table, "create", caller);
  if (grants) {
    const hopeful = hopefulOf(table, grants);
    assertAllowed(drafts.flatMap((draft) => createViolations(hopeful, draft)));
  }
  await assertMembers(ctx, table, drafts);
  return drafts;
}

/** What the table fills itself is not there yet: a rule that asks for it may come to hold. */
function hopefulOf(table: TableSchema, grants: readonly Grant[]): readonly Grant[] {
  const names = new Set(recordStatements(table).generated.map(({ name }) => name));
  if (names.size === 0) return grants;
  return grants.map((grant) =>
    grant.where && asksFor(names, grant.where) ? { ...grant, where: null } : grant,
  );
}

/** Whether one of these fields is named anywhere in a condition. */
function asksFor(names: ReadonlySet<string>, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(
    ([key, inner]) => names.has(key.split(".")[0] ?? key) || asksFor(names, inner),
  );
}

function ids(now: Date): () => string {
  return idsInOrder("rec", now.getTime());
}

/** In the order of the columns; what the database fills is not there yet. */
function recordWith(
  { columns }: TableSchema,
  own: Pick<TableRecord, "id" | "createdAt" | "updatedAt" | "createdBy">,
  values: RecordFields,
): TableRecord {
  const record: Record<string, Json> = { ...own };
  for (const { name } of columns) record[name] = values[name] ?? null;
  return record as unknown as TableRecord;
}

function withFilled(
  table: TableSchema,
  draft: WriteContextOfRecord,
  row: SqlRow | undefined,
): WriteContextOfRecord {
  if (!row) return draft;
  const filled = recordStatements(table).generated.map(({ name, columnType }) => [
    name,
    columnType.show(row[name]),
  ]);
  return { ...draft, record: { ...draft.record, ...Object.fromEntries(filled) } };
}

/** Faults of a record, as faults of what holds it. */
export function nestPath(path: string, faults: readonly FieldError[]): readonly FieldError[] {
  if (path === "") return faults;
  return faults.map((fault) => ({ ...fault, path: path + fault.path }));
}
