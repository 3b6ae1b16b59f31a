import type { Over } from "#domains/workflows/index.ts";
import type { Outside, Services } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { RunCompleted, RunFailed, RunPaused, RunStarted, type StartEvent } from "../events.ts";
import { newFacts, type Start, writePlain } from "./queued-start.ts";
import { startErrorRun } from "./after-run.ts";
import { Execution } from "./execution.ts";
import { actorOf, type RunFacts } from "./run-context.ts";
import { runner } from "./runner.ts";
import { insertRun } from "./store.ts";
import { referTo, summaryOf } from "./run-summary.ts";
import { turnOf } from "./checkpoint.ts";
import { keepWaits } from "./waits.ts";
import { WORK } from "./store.ts";

export type { Start } from "./queued-start.ts";

/** A run that is about to be written. */
export interface Beginning {
  readonly facts: RunFacts;
  readonly start: Start;
  /** How far it got before anything was written; absent when it is left to the runner. */
  readonly execution?: Execution;
  readonly over: Over | undefined;
}

/** A run that the runner carries on from its beginning. */
export function plainBeginning(services: Services, start: Start): Beginning {
  return { facts: newFacts(services, start), start, over: undefined };
}

/** So long a run is kept unwritten for the sake of steps that compute. */
const EARLY_MS = 25;

/**
 * Takes a run as far as it goes without reaching outside, before a transaction is open. Many runs end
 * here, and are then written once, as they ended.
 */
export async function headStart(outside: Outside, start: Start): Promise<Beginning> {
  const { definition, plan } = start.version;
  const facts = newFacts(outside, start);
  if (definition.maxConcurrency !== undefined) return { facts, start, over: undefined };
  const execution = new Execution(outside, facts, plan, { lines: [], entries: 0 });
  let { over } = await execution.settle();
  const until = performance.now() + EARLY_MS;
  for (let ms = EARLY_MS; !over && ms > 0 && execution.hasEarly; ms = until - performance.now()) {
    await execution.beginEarly(ms);
    ({ over } = await execution.settle());
  }
  return { facts, start, execution, over };
}

/** Writes a run at its beginning, and hands it on once that is committed. */
export async function writeBeginning(
  ctx: WriteContext<StartEvent>,
  beginning: Beginning,
): Promise<void> {
  const { facts, start, execution, over } = beginning;
  if (!execution) return writePlain(ctx, facts, start.eventId);
  const turn = turnOf(execution, over);
  insertRun(ctx, facts, turn, start.eventId);
  const run = referTo(facts);
  ctx.actAs(actorOf(facts));
  ctx.emit(RunStarted, run, summaryOf(facts, { status: "running" }, ctx.now));
  const summary = summaryOf(facts, turn, ctx.now);
  if (over) {
    if (over.status === "completed") ctx.emit(RunCompleted, run, summary);
    else ctx.emit(RunFailed, run, summary);
    // Nobody waits for it yet: whoever started it has the result at hand.
    if (over.status === "failed") await startErrorRun(ctx, facts, turn.error);
  } else {
    keepWaits(ctx, execution, execution.unwritten, false);
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
    services.signal.raise(WORK);
  });
}
