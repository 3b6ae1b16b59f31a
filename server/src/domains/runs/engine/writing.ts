import { type Over, type StepError } from "#domains/workflows/index.ts";
import { actBecause } from "#kernel/acting.ts";
import type { Outside } from "#kernel/caller.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { RunCancelled, RunCompleted, RunFailed, RunPaused, type StartEvent } from "../events.ts";
import { letNextIn } from "./admission.ts";
import type { Execution } from "./execution.ts";
import { actorOf, type RunFacts } from "./facts.ts";
import type { Answer, JournalRecord } from "./record.ts";
import { leaveWord, type RunStatus, type Turn, writeTurn } from "./store.ts";
import { startErrorRun } from "./starting.ts";
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
      const written = writeTurn(ctx, { id, entries: execution.entries }, turn);
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

/** The status, the due time and the result that follow from how far it has come. */
export function turnOf(execution: Execution, over: Over | undefined): Turn {
  const { unwritten: records } = execution;
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

function errorOf({ steps }: Execution, path: string | undefined): StepError & { path?: string } {
  if (path === undefined) return { code: "timeout", message: "The run took too long." };
  const { error } = steps.get(path) ?? {};
  return { code: error?.code ?? "failed", message: error?.message ?? `${path} failed.`, path };
}

async function end(
  ctx: WriteContext,
  { facts }: Execution,
  { turn, over }: { readonly turn: Turn; readonly over: Over },
): Promise<void> {
  ctx.emit(ENDS[over.status], referTo(facts), summaryOf(facts, turn, ctx.now));
  await followUp(ctx, facts, turn);
}

/** What follows from the end of a run. */
export async function followUp(
  ctx: WriteContext<StartEvent>,
  facts: RunFacts,
  turn: Turn,
): Promise<void> {
  if (turn.status === "failed") await startErrorRun(ctx, facts, turn.error);
  release(ctx, facts, turn);
}

/** Tells those who wait for the end of a run, whoever ended it. */
export function release(ctx: WriteContext<never>, facts: RunFacts, turn: Turn): void {
  const { parent } = facts;
  if (parent) {
    const word = { path: parent.path, told: true, answer: answerOf(turn) } as const;
    void leaveWord(ctx, parent.runId, [word]);
  }
  letNextIn(ctx, facts);
}

const ENDS = { completed: RunCompleted, failed: RunFailed, cancelled: RunCancelled } as const;

/** What an event's envelope says of a run. */
export function referTo({ id, workflowName }: RunFacts) {
  return { id, displayName: workflowName };
}

/** A run as its events tell of it. What it computed is for those who may read the run. */
export function summaryOf(facts: RunFacts, turn: Pick<Turn, "status" | "error">, now: Date) {
  const { id, workflowId, workflowName, versionId, triggerType, createdAt } = facts;
  const { code, message, path } = (turn.error ?? {}) as { [name: string]: string | undefined };
  return {
    id,
    workflowId,
    workflowName,
    versionId,
    trigger: triggerType,
    status: turn.status,
    createdAt,
    ...(isEnd(turn.status) && { finishedAt: now.toISOString() }),
    ...(code !== undefined && {
      error: { code, message: message ?? "", ...(path !== undefined && { path }) },
    }),
  };
}

function isEnd(status: RunStatus): boolean {
  return status in ENDS;
}

function isPause({ status }: JournalRecord): boolean {
  return status === "paused";
}

function answerOf({ status, output, error }: Turn): Answer {
  return {
    kind: "child",
    // It is called at the end of a run only.
    status: status as "completed" | "failed" | "cancelled",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: error as StepError }),
  };
}
