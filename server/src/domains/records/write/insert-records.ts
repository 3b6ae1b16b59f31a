/** Making and changing records: whoever writes one does it here. */
import type { WriteContext } from "#kernel/operation/operation.ts";
import type { Fault } from "#kernel/operation/failure.ts";
import { idsInOrder, newId } from "#kernel/schema/id.ts";
import type { Json } from "#domains/tables/columns/column-type.ts";
import { type Fields, readFields } from "#domains/tables/columns/parse-fields.ts";
import { assertCurrent } from "#domains/tables/table-cache.ts";
import type { KnownTable } from "#domains/tables/table-schema.ts";
import type { Grant } from "#domains/tables/rules/grants.ts";
import { FAULTS_MAX } from "#domains/tables/table.ts";
import type { Row } from "#kernel/db/statement.ts";
import { RecordCreated, tableIn } from "../events.ts";
import { makerOf } from "../record.ts";
import { explainMany, parametersOf } from "./batch-parameters.ts";
import { assertMembers } from "./check-members.ts";
import { planOf } from "./record-sql.ts";
import { type Stored, referTo, type TableRecord } from "../table-record.ts";
import { againstCreating, assertAllowed, grantsFor, type Writing } from "../record-access.ts";
import { faultsOfSize, storedSize } from "../table-record.ts";
import { explained, invalid } from "./constraint-error.ts";

/** The fields of a record as a caller gives them. */
export type Given = Readonly<Record<string, unknown>>;

/** Where in the request each record stands, for the paths of faults. */
export type PathOf = (index: number) => string;

const ONLY: PathOf = () => "";

/** A record that is to be made, and where in the request it stands. */
export interface Wanted {
  readonly given: Given;
  readonly path: string;
}

/**
 * Makes records, all or none. A single one of a table that fills nothing itself is on its way without
 * waiting for an answer: whatever PostgreSQL has against it, the commit hears.
 */
export async function insertRecords(
  ctx: WriteContext<typeof RecordCreated>,
  table: KnownTable,
  given: readonly Given[],
  pathOf: PathOf = ONLY,
): Promise<Stored[]> {
  const drafts = await draftsOf(
    ctx,
    table,
    given.map((fields, index) => ({ given: fields, path: pathOf(index) })),
  );
  return tellCreation(ctx, table, drafts, await insert(ctx, table, drafts));
}

/**
 * What follows when drafts have become records: the rules are asked once more where the table itself
 * fills something, since that may be among what they ask for.
 */
export function tellCreation(
  ctx: WriteContext<typeof RecordCreated>,
  table: KnownTable,
  drafts: readonly Writing[],
  rows: readonly Row[],
): Stored[] {
  const { generated } = planOf(table);
  const byId = new Map(generated.length > 0 ? rows.map((row) => [row["id"], row]) : []);
  const made = drafts.map((draft) => withFilled(table, draft, byId.get(draft.record.id)));
  if (generated.length > 0) assertMayCreate(ctx, table, made);
  return made.map(({ record }) => {
    ctx.emit(RecordCreated, referTo(table, record), { ...tableIn(table), ...record });
    return { record, revision: 1 };
  });
}

function assertMayCreate(
  { caller }: WriteContext<never>,
  table: KnownTable,
  drafts: readonly Writing[],
): void {
  const grants = grantsFor(table, "create", caller);
  if (grants) assertAllowed(drafts.flatMap((draft) => againstCreating(grants, draft)));
}

/** The rows with what the database filled, where it fills something. */
async function insert(
  ctx: WriteContext<never>,
  table: KnownTable,
  drafts: readonly Writing[],
): Promise<readonly Row[]> {
  const { insertOne, insertMany, generated, writable } = planOf(table);
  const [draft, ...others] = drafts;
  if (!draft) return [];
  const { record, path } = draft;
  if (others.length > 0) {
    const values = [record.createdAt, record.createdBy, ...parametersOf(writable, drafts)];
    return explainMany(ctx, table, drafts, () => ctx.send<Row>(insertMany, values));
  }
  const values = writable.map(({ name, is }) => storedValue(record[name], is.store));
  const sent = ctx.send<Row>(
    insertOne,
    [record.id, record.createdAt, record.createdBy, ...values],
    explained(ctx, table, path),
  );
  return generated.length > 0 ? sent : [];
}

/** A value of a record as a parameter. */
export function storedValue(value: Json | undefined, store: (value: Json) => unknown): unknown {
  return value === null || value === undefined ? null : store(value);
}

/** The records that there are to be, or everything that is wrong with them. */
export async function draftsOf(
  ctx: WriteContext<never>,
  table: KnownTable,
  wanted: readonly Wanted[],
): Promise<Writing[]> {
  const { now, caller } = ctx;
  const faults: Fault[] = [];
  const drafts: Writing[] = [];
  const nextId = wanted.length === 1 ? () => newId("rec", now.getTime()) : ids(now);
  const time = now.toISOString();
  const createdBy = makerOf(caller);
  for (const { given, path } of wanted) {
    const read = readFields(table, given, { for: "create", now, person: caller.person });
    if ("values" in read) {
      const own = { id: nextId(), createdAt: time, updatedAt: time, createdBy };
      const record = recordWith(table, own, read.values);
      faults.push(...faultsOfSize(storedSize(record), path));
      drafts.push({ record, named: Object.keys(given), path });
    } else faults.push(...below(path, read.faults));
    if (faults.length >= FAULTS_MAX) break;
  }
  if (faults.length > 0) {
    await assertCurrent(ctx, table);
    throw invalid(faults.slice(0, FAULTS_MAX));
  }
  // Before they are sent: what PostgreSQL has against them would tell of records that are not seen.
  const grants = grantsFor(table, "create", caller);
  if (grants) {
    const hopeful = hopefulOf(table, grants);
    assertAllowed(drafts.flatMap((draft) => againstCreating(hopeful, draft)));
  }
  await assertMembers(ctx, table, drafts);
  return drafts;
}

/** What the table fills itself is not there yet: a rule that asks for it may come to hold. */
function hopefulOf(table: KnownTable, grants: readonly Grant[]): readonly Grant[] {
  const names = new Set(planOf(table).generated.map(({ name }) => name));
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
  { columns }: KnownTable,
  own: Pick<TableRecord, "id" | "createdAt" | "updatedAt" | "createdBy">,
  values: Fields,
): TableRecord {
  const record: Record<string, Json> = { ...own };
  for (const { name } of columns) record[name] = values[name] ?? null;
  return record as unknown as TableRecord;
}

function withFilled(table: KnownTable, draft: Writing, row: Row | undefined): Writing {
  if (!row) return draft;
  const filled = planOf(table).generated.map(({ name, is }) => [name, is.show(row[name])]);
  return { ...draft, record: { ...draft.record, ...Object.fromEntries(filled) } };
}

/** Faults of a record, as faults of what holds it. */
export function below(path: string, faults: readonly Fault[]): readonly Fault[] {
  if (path === "") return faults;
  return faults.map((fault) => ({ ...fault, path: path + fault.path }));
}
