import type { RunResult, StepError } from "#domains/workflows/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { cancelChildRuns } from "../control/cancel-run.ts";
import { RunCancelled, RunCompleted, RunFailed, RunPaused } from "../events.ts";
import { afterRunEnded } from "./after-run.ts";
import type { Execution } from "./execution.ts";
import type { JournalRecord } from "./journal-record.ts";
import { runActor } from "./run-context.ts";
import { runRef, summaryOf } from "./run-summary.ts";
import { type Checkpoint, writeCheckpoint } from "./store.ts";
import { saveWaits } from "./waits.ts";

/** The status, the due time and the result that follow from how far it has come. */
export function checkpointOf(execution: Execution, over: RunResult | undefined): Checkpoint {
  // As it is now: a step may end while this is being written.
  const records = [...execution.unwritten];
  if (!over) {
    const dueMs = execution.underWay > 0 ? 0 : execution.dueMs;
    const dueAt = Number.isFinite(dueMs) ? new Date(dueMs) : null;
    return { status: execution.status, dueAt, records };
  }
  const common = { status: over.status, dueAt: null, records } as const;
  if (over.status === "completed") return { ...common, output: execution.output ?? null };
  if (over.status === "failed") return { ...common, error: errorOf(execution, over.path) };
  return common;
}

/** Why the run was stopped or, when it was not, what the step that failed says. */
function errorOf(
  { steps, stopError }: Execution,
  path: string | undefined,
): StepError & { path?: string } {
  if (stopError) return { code: stopError.code, message: stopError.message };
  const { error } = steps.get(path ?? "") ?? {};
  const message = error?.message ?? `${path} failed.`;
  return { code: error?.code ?? "failed", message, ...(path !== undefined && { path }) };
}

class Overtaken extends Error {}

/**
 * Writes what became of a run since the last time, with all that follows from it, in one transaction.
 * False when somebody else wrote to it meanwhile: then nothing was written.
 */
export async function saveExecution(
  platform: Platform,
  execution: Execution,
  over: RunResult | undefined,
): Promise<boolean> {
  const { facts, unwritten } = execution;
  const { id, workspace, environment, cause } = facts;
  const records = [...unwritten];
  const turn = checkpointOf(execution, over);
  try {
    await runAsSystem(platform, { workspace, environment }, cause, async (ctx) => {
      ctx.setActor(runActor(facts));
      const written = writeCheckpoint(
        ctx,
        { id, entries: execution.entries, generation: facts.generation },
        turn,
      );
      saveWaits(ctx, execution, records, over !== undefined);
      if (over) await end(ctx, execution, { turn, over });
      else if (records.some(isPause)) {
        ctx.emit(RunPaused, runRef(facts), summaryOf(facts, turn, ctx.now));
      }
      if (!(await written)) throw new Overtaken();
    });
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
  execution.written(records.length, execution.entries + (records.length > 0 ? 1 : 0));
  return true;
}

async function end(
  ctx: WriteContext,
  { facts }: Execution,
  { turn, over }: { readonly turn: Checkpoint; readonly over: RunResult },
): Promise<void> {
  ctx.emit(ENDS[over.status], runRef(facts), summaryOf(facts, turn, ctx.now));
  await afterRunEnded(ctx, facts, turn);
  // Their results are for nobody any more.
  if (over.status !== "completed") await cancelChildRuns(ctx, [facts.id]);
}

const ENDS = { completed: RunCompleted, failed: RunFailed, cancelled: RunCancelled } as const;

function isPause({ status }: JournalRecord): boolean {
  return status === "paused";
}
