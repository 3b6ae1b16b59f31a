import {
  emitTableChanges,
  lockStructure,
  type Table,
  type TableChanges,
  type TableEvent,
} from "#domains/tables/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EventData, ResourceRef } from "#kernel/log/event.ts";
import { MemoryExceeded } from "#kernel/db/memory-watch.ts";
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
  type MigrationStatus,
  StepFailed,
} from "./migration.ts";
import type { ParsedStep } from "./parse-steps.ts";
import { type StepsOutcome, runMigrationSteps } from "./run-steps.ts";
import { migrationEventData, parseStoredSteps, migrationRef } from "./service.ts";
import { StepError } from "./step-error.ts";
import * as store from "./store.ts";

type RunContext = WriteContext<TableEvent | typeof MigrationFailed>;

export type Direction = "up" | "down";

/** A migration that is parsed before the transaction begins, because parsing SQL is slow. */
export interface PreparedRun {
  readonly checksum: string;
  readonly revision: number;
  readonly parsedSteps: readonly ParsedStep[];
}

/** Parses the steps of one direction; none if the inverse is unknown. */
export async function prepareRun(
  { db }: Platform,
  caller: Caller,
  { id, direction }: { readonly id: string; readonly direction: Direction },
): Promise<PreparedRun> {
  const { steps, ...stored } = await db.read(partitionOfCaller(caller), async (tx) => {
    const migration = await store.get(tx, id);
    const { checksum, revision } = migration;
    return { checksum, revision, steps: await readSteps(tx, migration, direction) };
  });
  const { parsed: parsedSteps } = await parseStoredSteps(caller, steps, `/${direction}`);
  return { ...stored, parsedSteps };
}

async function readSteps(
  tx: Tx,
  { id, up, down }: Migration,
  direction: Direction,
): Promise<readonly MigrationStep[]> {
  if (direction === "up") return up;
  return down ?? (await store.findState(tx, id))?.inverse ?? [];
}

interface MigrationTask {
  readonly id: string;
  readonly direction: Direction;
  readonly dryRun: boolean;
  /** Emits the event that it was applied or rolled back. */
  readonly done: (migration: ResourceRef, data: EventData<typeof MigrationApplied>) => void;
}

/**
 * Applies a migration, or rolls it back. If a step fails, everything is rolled back, and the failure is saved; a
 * dry run is always rolled back, and nothing is saved.
 */
export async function runMigration(
  ctx: RunContext,
  task: MigrationTask,
  { parsedSteps, ...stored }: PreparedRun,
): Promise<MigrationRun | Failure> {
  const { id, direction, dryRun } = task;
  await lockStructure(ctx.tx);
  const migration = await store.lock(ctx.tx, id);
  await (direction === "up" ? assertNext(ctx, migration) : assertNewest(ctx, migration));
  // The inverse is computed again each time the migration is applied.
  const same = direction === "up" || migration.revision === stored.revision;
  if (!same || migration.checksum !== stored.checksum) throw new Failure(Changed);
  const outcome = await attemptSteps(ctx, parsedSteps, dryRun);
  if (outcome instanceof StepError)
    return recordFailure(ctx, task, { migration, stepError: outcome });
  const { statements, recordsChanged } = outcome;
  if (dryRun) return { ...migration, dryRun, statements: [...statements], recordsChanged };
  await saveState(ctx, migration, {
    status: direction === "up" ? "applied" : "rolled_back",
    inverse: direction === "up" ? outcome.inverse : null,
    statements,
    error: null,
  });
  emitTableChanges(ctx, mergeChanges(outcome.changes));
  const after = await store.update(ctx.tx, id, {});
  task.done(migrationRef(after), {
    ...migrationEventData(after),
    statements: statements.length,
    recordsChanged,
  });
  return { ...after, dryRun, recordsChanged };
}

/** Rolls back the changes of a dry run. */
class DryRunDone extends Error {
  readonly outcome: StepsOutcome;

  constructor(outcome: StepsOutcome) {
    super("The dry run was rolled back.");
    this.outcome = outcome;
  }
}

/** A dry run can be repeated freely, and all log readers wait for it as for any other transaction. */
const DRY_RUN_SHARE = 1 / 3;

/** Runs the steps within a common time limit; rolls them back on failure or in a dry run. */
async function attemptSteps(
  ctx: RunContext,
  parsedSteps: readonly ParsedStep[],
  dryRun: boolean,
): Promise<StepsOutcome | StepError> {
  const { transactionTimeoutSeconds } = ctx.services.settings;
  const timeoutMs = transactionTimeoutSeconds * 1_000 * (dryRun ? DRY_RUN_SHARE : 1);
  const work = async (): Promise<StepsOutcome> => {
    const outcome = await runMigrationSteps(ctx, parsedSteps);
    if (dryRun) throw new DryRunDone(outcome);
    return outcome;
  };
  try {
    return await ctx.savepoint(work, { timeoutMs });
  } catch (error) {
    if (error instanceof DryRunDone) return error.outcome;
    if (error instanceof StepError) return error;
    if (error instanceof MemoryExceeded && error.cause instanceof StepError) {
      const { step, errors } = error.cause;
      return new StepError(
        step,
        errors.map(({ path }) => ({ path, message: MEMORY_MESSAGE })),
      );
    }
    throw error;
  }
}

const MEMORY_MESSAGE = "the statement exceeded its memory limit";

async function recordFailure(
  ctx: RunContext,
  { id, direction, dryRun }: MigrationTask,
  { migration, stepError }: { readonly migration: Migration; readonly stepError: StepError },
): Promise<Failure> {
  const { step = null, message, errors } = stepError;
  const failure = new Failure(StepFailed, {
    detail: step === null ? message : `Step ${step} of ${direction}: ${message}`,
    errors,
    extra: { step },
  });
  if (dryRun) throw failure;
  const error = { step, message };
  // A migration that could not be rolled back is still applied.
  if (direction === "up") {
    await saveState(ctx, migration, { status: "failed", inverse: null, statements: [], error });
  }
  const after = await store.update(ctx.tx, id, {});
  ctx.emit(MigrationFailed, migrationRef(after), {
    ...migrationEventData(after),
    direction,
    error,
  });
  return failure;
}

function saveState(
  { tx, now, caller }: RunContext,
  { id, checksum }: Migration,
  state: Omit<store.MigrationState, "checksum">,
): Promise<void> {
  return store.setState(tx, id, {
    ...state,
    checksum,
    changedBy: caller.actor.id,
    changedAt: now,
  });
}

async function assertNext({ tx }: RunContext, { number, status }: Migration): Promise<void> {
  if (status === "applied") throw new Failure(AlreadyApplied);
  const { missing, newest = 0 } = await store.neighbours(tx, number);
  if (missing) {
    const detail = `Migration ${missing.number} ${ORDER_HINTS[missing.status] ?? "comes first"}.`;
    throw new Failure(OutOfOrder, { detail });
  }
  if (newest > number) {
    throw new Failure(OutOfOrder, {
      detail: `Migration ${newest} is already applied in this environment.`,
    });
  }
}

const ORDER_HINTS: Readonly<Partial<Record<MigrationStatus, string>>> = {
  failed: "failed in this environment: fix or delete it",
  rolled_back: "was rolled back in this environment: apply it again or delete it",
};

async function assertNewest({ tx }: RunContext, migration: Migration): Promise<void> {
  const { id, number, down, checksum } = migration;
  const state = await store.findState(tx, id);
  if (state?.status !== "applied") throw new Failure(NotApplied);
  if (state.checksum !== checksum) throw new Failure(Changed);
  const { newest = 0 } = await store.neighbours(tx, number);
  if (newest !== number) {
    throw new Failure(NotNewest, { detail: `Migration ${newest} must be rolled back first.` });
  }
  if (!down && !state.inverse) throw new Failure(Irreversible);
}

/** Merges consecutive changes: a table that was created and dropped is omitted. */
function mergeChanges(all: readonly TableChanges[]): TableChanges {
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
