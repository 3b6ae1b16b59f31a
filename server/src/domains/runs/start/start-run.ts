import type { RunResult } from "#domains/workflows/index.ts";
import type { Platform, PlatformServices, WriteContext } from "#kernel/contract.ts";
import { pendingEvent } from "#kernel/operation/act.ts";
import { insertUploads } from "./run-files.ts";
import { RunCompleted, RunFailed, RunPaused, RunStarted, type StartEvent } from "../events.ts";
import { newRunContext, type RunStart, insertQueuedRun } from "./queued-start.ts";
import { startErrorRun } from "../engine/after-run.ts";
import { Execution } from "../engine/execution.ts";
import { runActor, type RunContext } from "../engine/run-context.ts";
import { runner } from "../engine/runner.ts";
import { insertRun } from "../engine/store.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { toCheckpoint } from "../engine/checkpoint.ts";
import { saveWaits } from "../engine/waits.ts";
import { RUNS_DUE_SIGNAL } from "../engine/store.ts";

export type { RunStart } from "./queued-start.ts";

/** A prepared run before it is written. */
export interface PreparedStart {
  readonly run: RunContext;
  readonly start: RunStart;
  /** The run in memory after an inline start. Undefined for a queued start. */
  readonly execution?: Execution;
  readonly result: RunResult | undefined;
}

/** A queued start: the runner executes the run from its first step. */
export function queuedStart(services: PlatformServices, start: RunStart): PreparedStart {
  return { run: newRunContext(services, start), start, result: undefined };
}

/** How long an inline start waits for speculative steps before it writes the run. */
const SPECULATION_MAX_MS = 25;

/**
 * An inline start: advances a run without effects outside, before a transaction is open. Many runs end here and are
 * written once with their result.
 */
export async function startInline(platform: Platform, start: RunStart): Promise<PreparedStart> {
  const { definition, plan } = start.version;
  const run = newRunContext(platform, start);
  if (definition.maxConcurrency !== undefined) return { run, start, result: undefined };
  const execution = new Execution(platform, run, plan, {
    lines: [],
    entries: 0,
    isBegun: false,
  });
  let result = await execution.settle();
  const until = performance.now() + SPECULATION_MAX_MS;
  for (
    let ms = SPECULATION_MAX_MS;
    !result && ms > 0 && execution.hasSpeculative;
    ms = until - performance.now()
  ) {
    await execution.startSpeculative(ms);
    result = await execution.settle();
  }
  return { run, start, execution, result };
}

/**
 * Emits the start event. Without another cause this event is the cause of the run's effects, so its id is needed.
 * Events that the run appends afterwards do not belong to the step that started it.
 */
function emitStart(ctx: WriteContext<StartEvent>, { run, result }: PreparedStart): void {
  const summary = toRunSummary(run, { status: "running" }, ctx.now);
  if (run.cause.causationId === undefined && !result) {
    const noteId = (id: string): void => {
      run.startEventId = id;
    };
    // The commit reports the failure.
    void ctx.publish(pendingEvent(RunStarted, runRef(run), summary)).then(noteId, () => undefined);
  } else ctx.emit(RunStarted, runRef(run), summary);
  if (!ctx.caller.cause.madeBy) return;
  ctx.flush();
  ctx.setActor(runActor(run), run.cause);
}

/** Writes a run that starts, and offers it to the runner once that is committed. */
export async function writeRunStart(
  ctx: WriteContext<StartEvent>,
  prepared: PreparedStart,
): Promise<void> {
  const { run, start, execution, result } = prepared;
  await insertUploads(ctx, run, start.uploads ?? []);
  if (!execution) return insertQueuedRun(ctx, run, start.eventId);
  const checkpoint = toCheckpoint(execution, result);
  insertRun(ctx, run, checkpoint, start.eventId);
  // A chosen past event is the cause, not the request that chose it.
  ctx.setActor(runActor(run), start.eventId === undefined ? undefined : run.cause);
  emitStart(ctx, prepared);
  const ref = runRef(run);
  const summary = toRunSummary(run, checkpoint, ctx.now);
  if (result) {
    if (result.status === "completed") ctx.emit(RunCompleted, ref, summary);
    else ctx.emit(RunFailed, ref, summary);
    // No parent waits for the run yet. The step that started it reads the result directly.
    if (result.status === "failed") await startErrorRun(ctx, run, checkpoint.error);
  } else {
    saveWaits(ctx, execution, execution.journal.unwritten, false);
    if (checkpoint.status === "paused") ctx.emit(RunPaused, ref, summary);
  }
  const { services } = ctx;
  ctx.onCommit(() => {
    execution.journal.markWritten(checkpoint.records.length);
    if (result) return;
    const isTaken = execution.inFlight > 0 && services.engineOf(runner)?.offer(execution);
    if (isTaken) return;
    if (execution.speculative) {
      execution.speculative.abandon();
      execution.abort();
    }
    services.wakeSignal.raise(RUNS_DUE_SIGNAL);
  });
}
