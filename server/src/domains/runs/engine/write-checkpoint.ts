import type { Over } from "#domains/workflows/index.ts";
import { actBecause } from "#kernel/operation/act.ts";
import type { Outside } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { cancelChildren } from "../control/cancel-run.ts";
import { RunCancelled, RunCompleted, RunFailed, RunPaused } from "../events.ts";
import { followUp } from "./after-run.ts";
import type { Execution } from "./execution.ts";
import { actorOf } from "./run-context.ts";
import type { JournalRecord } from "./journal-record.ts";
import { type Turn, writeTurn } from "./store.ts";
import { referTo, summaryOf } from "./run-summary.ts";
import { turnOf } from "./checkpoint.ts";
import { keepWaits } from "./waits.ts";

class Overtaken extends Error {}

/**
 * Writes what became of a run since the last time, with all that follows from it, in one transaction.
 * False when somebody else wrote to it meanwhile: then nothing was written.
 */
export async function writeExecution(
  outside: Outside,
  execution: Execution,
  over: Over | undefined,
): Promise<boolean> {
  const { facts, unwritten } = execution;
  const { id, workspace, environment, cause } = facts;
  const records = [...unwritten];
  const turn = turnOf(execution, over);
  try {
    await actBecause(outside, { workspace, environment }, cause, async (ctx) => {
      ctx.actAs(actorOf(facts));
      const written = writeTurn(
        ctx,
        { id, entries: execution.entries, generation: facts.generation },
        turn,
      );
      keepWaits(ctx, execution, records, over !== undefined);
      if (over) await end(ctx, execution, { turn, over });
      else if (records.some(isPause)) {
        ctx.emit(RunPaused, referTo(facts), summaryOf(facts, turn, ctx.now));
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
  { turn, over }: { readonly turn: Turn; readonly over: Over },
): Promise<void> {
  ctx.emit(ENDS[over.status], referTo(facts), summaryOf(facts, turn, ctx.now));
  await followUp(ctx, facts, turn);
  // Their results are for nobody any more.
  if (over.status !== "completed") await cancelChildren(ctx, [facts.id]);
}

const ENDS = { completed: RunCompleted, failed: RunFailed, cancelled: RunCancelled } as const;

function isPause({ status }: JournalRecord): boolean {
  return status === "paused";
}
