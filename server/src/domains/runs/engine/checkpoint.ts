import type { RunResult, StepError } from "#domains/workflows/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { cancelChildRuns, cancelRunsOfSteps } from "../control/cancel-run.ts";
import { RunCancelled, RunCompleted, RunFailed, RunPaused } from "../events.ts";
import { lookForPastEvents } from "../triggers/past-events.ts";
import { handleRunEnd } from "./after-run.ts";
import type { Execution } from "./execution.ts";
import type { JournalRecord } from "./journal-record.ts";
import { causeOf, runActor } from "./run-context.ts";
import { runRef, toRunSummary } from "./run-summary.ts";
import { type Checkpoint, writeCheckpoint } from "./store.ts";
import { saveWaits } from "./waits.ts";

/** The checkpoint of the current state of a run in memory. */
export function toCheckpoint(execution: Execution, result: RunResult | undefined): Checkpoint {
  // Copied, because a step can end during the write.
  const records = [...execution.journal.unwritten];
  if (!result) {
    const dueMs = execution.inFlight > 0 ? 0 : execution.dueMs;
    const dueAt = Number.isFinite(dueMs) ? new Date(dueMs) : null;
    return { status: execution.status, dueAt, records };
  }
  const common = { status: result.status, dueAt: null, records } as const;
  if (result.status === "completed") return { ...common, output: execution.output ?? null };
  if (result.status === "failed") return { ...common, error: toRunError(execution, result.path) };
  return common;
}

/** Why the run was stopped, or else the error of the step that failed it. */
export function toRunError({ steps, stopError }: Execution, path: string | undefined): StepError {
  const error = stopError ?? steps.get(path ?? "")?.error;
  const { code = "failed", message = `${path} failed.`, field, expression } = error ?? {};
  // The error of a loop contains the path of the failed step inside it.
  const at = error?.path ?? path;
  return {
    code,
    message,
    ...(at !== undefined && { path: at }),
    ...(field !== undefined && { field }),
    ...(expression !== undefined && { expression }),
  };
}

class ConflictingWrite extends Error {}

/**
 * The commit survives the end of this process. It survives a crash of the database only after a later commit is
 * flushed.
 */
const COMMIT_UNFLUSHED = "set local synchronous_commit to off";

/**
 * Writes the checkpoint, waits and events in one transaction. Returns false without writing if another write
 * came first.
 */
export async function saveCheckpoint(
  platform: Platform,
  execution: Execution,
  result: RunResult | undefined,
): Promise<boolean> {
  const { run, journal } = execution;
  const { id, workspace, environment } = run;
  const records = [...journal.unwritten];
  const checkpoint = toCheckpoint(execution, result);
  const isFlushed = result !== undefined || execution.mustFlush;
  let writtenAt = "";
  try {
    await runAsSystem(platform, { workspace, environment }, causeOf(run), async (ctx) => {
      ctx.setActor(runActor(run));
      writtenAt = ctx.now.toISOString();
      if (!isFlushed) void ctx.send(COMMIT_UNFLUSHED, []);
      const { entries, lastUnflushed } = journal;
      const { generation } = run;
      // Awaited together. If both fail, neither rejection may stay unhandled.
      const [isWritten] = await Promise.all([
        writeCheckpoint(ctx, { id, entries, generation, lastUnflushed }, checkpoint),
        writeConsequences(ctx, execution, { checkpoint, result, records }),
      ]);
      if (!isWritten) throw new ConflictingWrite();
    });
  } catch (error) {
    if (error instanceof ConflictingWrite) return false;
    throw error;
  }
  journal.markWritten(records.length, { writtenAt, isFlushed });
  return true;
}

interface Consequences {
  readonly checkpoint: Checkpoint;
  readonly result: RunResult | undefined;
  readonly records: readonly JournalRecord[];
}

/** Writes the waits from new records, and the events for a pause or an end. */
async function writeConsequences(
  ctx: WriteContext,
  execution: Execution,
  { checkpoint, result, records }: Consequences,
): Promise<void> {
  const { run } = execution;
  saveWaits(ctx, execution, records, result !== undefined);
  await cancelLostRuns(ctx, run.id, records);
  if (result) return endRun(ctx, execution, { checkpoint, result });
  lookForPastEvents(ctx, run.id, records);
  if (records.some(isPause)) {
    ctx.emit(RunPaused, runRef(run), toRunSummary(run, checkpoint, ctx.now));
  }
}

async function endRun(
  ctx: WriteContext,
  { run }: Execution,
  { checkpoint, result }: { readonly checkpoint: Checkpoint; readonly result: RunResult },
): Promise<void> {
  ctx.emit(END_EVENTS[result.status], runRef(run), toRunSummary(run, checkpoint, ctx.now));
  await handleRunEnd(ctx, run, checkpoint);
  // The waiting steps have ended, so these results are not needed.
  if (result.status !== "completed") await cancelChildRuns(ctx, [run.id]);
}

/** Cancels the child runs of steps that lost a race. */
async function cancelLostRuns(
  ctx: WriteContext,
  runId: string,
  records: readonly JournalRecord[],
): Promise<void> {
  const paths = records.flatMap(({ status, path }) => (status === "cancelled" ? [path] : []));
  if (paths.length > 0) await cancelRunsOfSteps(ctx, runId, paths);
}

const END_EVENTS = { completed: RunCompleted, failed: RunFailed, cancelled: RunCancelled } as const;

function isPause({ status }: JournalRecord): boolean {
  return status === "paused";
}
