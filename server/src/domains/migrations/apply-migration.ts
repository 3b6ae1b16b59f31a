import { lockStructure } from "#domains/tables/store.ts";
import type { AppliedSteps } from "#domains/tables/structure/apply-steps.ts";
import {
  referTo as referToTable,
  shownIn,
  TableCreated,
  TableDropped,
  TableUpdated,
  toldChange,
} from "#domains/tables/structure/events.ts";
import type { Table } from "#domains/tables/table.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { EventData, ResourceRef } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import {
  AlreadyApplied,
  Changed,
  Irreversible,
  type Migration,
  type MigrationApplied,
  MigrationFailed,
  type MigrationRun,
  type MigrationStep,
  NotApplied,
  NotNewest,
  OutOfOrder,
  type Status,
  StepFailed,
} from "./migration.ts";
import type { Work } from "./parse-steps.ts";
import { type StepsOutcome, runMigrationSteps } from "./run-steps.ts";
import { dataOf, readKept, referTo } from "./service.ts";
import { StepError } from "./step-error.ts";
import * as store from "./store.ts";

type Changes = Pick<AppliedSteps, "created" | "updated" | "dropped">;

/** What several changes come to, one after the other: a table that came and went was never there. */
function mergedChanges(all: readonly Changes[]): Changes {
  const created = new Map<string, Table>();
  const updated = new Map<string, { before: Table; after: Table }>();
  const dropped: Table[] = [];
  for (const changes of all) {
    for (const table of changes.dropped) {
      const before = updated.get(table.id)?.before;
      updated.delete(table.id);
      if (!created.delete(table.id)) dropped.push(before ?? table);
    }
    for (const table of changes.created) created.set(table.id, table);
    for (const { before, after } of changes.updated) {
      if (created.has(after.id)) created.set(after.id, after);
      else updated.set(after.id, { before: updated.get(after.id)?.before ?? before, after });
    }
  }
  return { created: [...created.values()], updated: [...updated.values()], dropped };
}

type Ctx = WriteContext<
  typeof TableCreated | typeof TableUpdated | typeof TableDropped | typeof MigrationFailed
>;

export type Direction = "up" | "down";

/** What is to be done, read before the transaction begins: SQL takes a while to parse. */
export interface Prepared {
  /** Of the migration as it was read. */
  readonly checksum: string;
  readonly revision: number;
  readonly works: readonly Work[];
}

/** Reads the steps that lead there; none when nothing is known of the way back. */
export async function prepare(
  { db }: Platform,
  caller: Caller,
  { id, direction }: { readonly id: string; readonly direction: Direction },
): Promise<Prepared> {
  const { steps, ...read } = await db.read(partitionOfCaller(caller), async (tx) => {
    const migration = await store.get(tx, id);
    const { checksum, revision } = migration;
    return { checksum, revision, steps: await stepsOf(tx, migration, direction) };
  });
  const { works } = await readKept(caller, steps, `/${direction}`);
  return { ...read, works };
}

async function stepsOf(
  tx: Tx,
  { id, up, down }: Migration,
  direction: Direction,
): Promise<readonly MigrationStep[]> {
  if (direction === "up") return up;
  return down ?? (await store.stateOf(tx, id))?.inverse ?? [];
}

interface Task {
  readonly id: string;
  readonly direction: Direction;
  readonly dryRun: boolean;
  /** Emits that it was done. */
  readonly done: (migration: ResourceRef, data: EventData<typeof MigrationApplied>) => void;
}

/**
 * Applies a migration, or rolls it back. When a step fails everything is undone, and that it failed is
 * kept; a dry run is undone in any case, and nothing is kept.
 */
export async function runMigration(
  ctx: Ctx,
  task: Task,
  { works, ...read }: Prepared,
): Promise<MigrationRun | Failure> {
  const { id, direction, dryRun } = task;
  await lockStructure(ctx.tx);
  const migration = await store.lock(ctx.tx, id);
  await (direction === "up" ? expectNext(ctx, migration) : expectNewest(ctx, migration));
  // The way back is another one each time that it is applied.
  const same = direction === "up" || migration.revision === read.revision;
  if (!same || migration.checksum !== read.checksum) throw new Failure(Changed);
  const outcome = await attempt(ctx, works, dryRun);
  if (outcome instanceof StepError) return fail(ctx, task, { migration, trouble: outcome });
  const { statements, recordsChanged } = outcome;
  if (dryRun) return { ...migration, dryRun, statements: [...statements], recordsChanged };
  await keep(ctx, migration, {
    status: direction === "up" ? "applied" : "rolled_back",
    inverse: direction === "up" ? outcome.inverse : null,
    statements,
    error: null,
  });
  tell(ctx, mergedChanges(outcome.changes));
  const after = await store.update(ctx.tx, id, {});
  task.done(referTo(after), { ...dataOf(after), statements: statements.length, recordsChanged });
  return { ...after, dryRun, recordsChanged };
}

/** Takes the steps, and undoes them when one fails or when it was only to be seen whether they work. */
async function attempt(
  { tx, ...ctx }: Ctx,
  works: readonly Work[],
  dryRun: boolean,
): Promise<StepsOutcome | StepError> {
  const undo = () => queryRows(tx, "rollback to savepoint migration", []);
  await queryRows(tx, "savepoint migration", []);
  try {
    const outcome = await runMigrationSteps({ tx, ...ctx }, works);
    if (dryRun) await undo();
    return outcome;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    await undo();
    return error;
  }
}

async function fail(
  ctx: Ctx,
  { id, direction, dryRun }: Task,
  { migration, trouble }: { readonly migration: Migration; readonly trouble: StepError },
): Promise<Failure> {
  const { step = null, message, faults } = trouble;
  const failure = new Failure(StepFailed, {
    detail: step === null ? message : `Step ${step} of ${direction}: ${message}`,
    errors: faults,
    extra: { step },
  });
  if (dryRun) throw failure;
  const error = { step, message };
  // What could not be rolled back is applied still.
  if (direction === "up") {
    await keep(ctx, migration, { status: "failed", inverse: null, statements: [], error });
  }
  const after = await store.update(ctx.tx, id, {});
  ctx.emit(MigrationFailed, referTo(after), { ...dataOf(after), direction, error });
  return failure;
}

function keep(
  { tx, now, caller }: Ctx,
  { id, checksum }: Migration,
  state: Omit<store.State, "checksum">,
): Promise<void> {
  return store.setState(tx, id, {
    ...state,
    checksum,
    changedBy: caller.actor.id,
    changedAt: now,
  });
}

/** One event for each table, whatever number of steps it was. */
function tell(ctx: Ctx, changes: Pick<AppliedSteps, "created" | "updated" | "dropped">): void {
  for (const table of changes.dropped) ctx.emit(TableDropped, referToTable(table), shownIn(table));
  for (const table of changes.created) ctx.emit(TableCreated, referToTable(table), shownIn(table));
  for (const change of changes.updated) ctx.emit(TableUpdated, ...toldChange(change));
}

async function expectNext({ tx }: Ctx, { number, status }: Migration): Promise<void> {
  if (status === "applied") throw new Failure(AlreadyApplied);
  const { missing, newest = 0 } = await store.neighbours(tx, number);
  if (missing) {
    const detail = `Migration ${missing.number} ${FIRST[missing.status] ?? "comes first"}.`;
    throw new Failure(OutOfOrder, { detail });
  }
  if (newest > number) {
    throw new Failure(OutOfOrder, { detail: `Migration ${newest} is applied here already.` });
  }
}

const FIRST: Readonly<Partial<Record<Status, string>>> = {
  failed: "failed here: mend or delete it",
  rolled_back: "was rolled back here: apply it again or delete it",
};

async function expectNewest({ tx }: Ctx, migration: Migration): Promise<void> {
  const { id, number, down, checksum } = migration;
  const state = await store.stateOf(tx, id);
  if (state?.status !== "applied") throw new Failure(NotApplied);
  if (state.checksum !== checksum) throw new Failure(Changed);
  const { newest = 0 } = await store.neighbours(tx, number);
  if (newest !== number) {
    throw new Failure(NotNewest, { detail: `Migration ${newest} must be rolled back first.` });
  }
  if (!down && !state.inverse) throw new Failure(Irreversible);
}
