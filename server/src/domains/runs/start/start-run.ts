import type { RunResult } from "#domains/workflows/index.ts";
import type { Platform, PlatformServices, WriteContext } from "#kernel/contract.ts";
import { RunCompleted, RunFailed, RunPaused, RunStarted, type StartEvent } from "../events.ts";
import { newRunContext, type RunStart, insertQueuedRun } from "./queued-start.ts";
import { startErrorRun } from "../engine/after-run.ts";
import { Execution } from "../engine/execution.ts";
import { runActor, type RunContext } from "../engine/run-context.ts";
import { runner } from "../engine/runner.ts";
import { insertRun } from "../engine/store.ts";
import { runRef, summaryOf } from "../engine/run-summary.ts";
import { checkpointOf } from "../engine/checkpoint.ts";
import { saveWaits } from "../engine/waits.ts";
import { RUNS_DUE_SIGNAL } from "../engine/store.ts";

export type { RunStart } from "./queued-start.ts";

/** A run that is about to be written. */
export interface PreparedStart {
  readonly facts: RunContext;
  readonly start: RunStart;
  /** How far it got before anything was written; absent when it is left to the runner. */
  readonly execution?: Execution;
  readonly over: RunResult | undefined;
}

/** A run that the runner carries on from its beginning. */
export function queuedStart(services: PlatformServices, start: RunStart): PreparedStart {
  return { facts: newRunContext(services, start), start, over: undefined };
}

/** So long a run is kept unwritten for the sake of steps that compute. */
const EARLY_MS = 25;

/**
 * Takes a run as far as it goes without reaching outside, before a transaction is open. Many runs end
 * here, and are then written once, as they ended.
 */
export async function startInline(platform: Platform, start: RunStart): Promise<PreparedStart> {
  const { definition, plan } = start.version;
  const facts = newRunContext(platform, start);
  if (definition.maxConcurrency !== undefined) return { facts, start, over: undefined };
  const execution = new Execution(platform, facts, plan, { lines: [], entries: 0 });
  let { over } = await execution.settle();
  const until = performance.now() + EARLY_MS;
  for (let ms = EARLY_MS; !over && ms > 0 && execution.hasEarly; ms = until - performance.now()) {
    await execution.beginEarly(ms);
    ({ over } = await execution.settle());
  }
  return { facts, start, execution, over };
}

/** Writes a run at its beginning, and hands it on once that is committed. */
export async function writeRunStart(
  ctx: WriteContext<StartEvent>,
  beginning: PreparedStart,
): Promise<void> {
  const { facts, start, execution, over } = beginning;
  if (!execution) return insertQueuedRun(ctx, facts, start.eventId);
  const turn = checkpointOf(execution, over);
  insertRun(ctx, facts, turn, start.eventId);
  const run = runRef(facts);
  ctx.setActor(runActor(facts));
  ctx.emit(RunStarted, run, summaryOf(facts, { status: "running" }, ctx.now));
  const summary = summaryOf(facts, turn, ctx.now);
  if (over) {
    if (over.status === "completed") ctx.emit(RunCompleted, run, summary);
    else ctx.emit(RunFailed, run, summary);
    // Nobody waits for it yet: whoever started it has the result at hand.
    if (over.status === "failed") await startErrorRun(ctx, facts, turn.error);
  } else {
    saveWaits(ctx, execution, execution.unwritten, false);
    if (turn.status === "paused") ctx.emit(RunPaused, run, summary);
  }
  const entries = turn.records.length > 0 ? 1 : 0;
  const { services } = ctx;
  ctx.onCommit(() => {
    execution.written(turn.records.length, entries);
    if (over) return;
    const taken = execution.underWay > 0 && services.engineOf(runner)?.offer(execution);
    if (taken) return;
    if (execution.early) {
      execution.early.leave();
      execution.abort();
    }
    services.wakeSignal.raise(RUNS_DUE_SIGNAL);
  });
}
