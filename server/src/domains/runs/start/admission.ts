import type { Definition } from "#domains/workflows/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { compileTemplate } from "#kernel/expression/template.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import type { Execution } from "../engine/execution.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import { causeOf, runActor, type RunContext } from "../engine/run-context.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { type RunRow, RUNS_DUE_SIGNAL, writeCheckpoint } from "../engine/store.ts";
import { RunStarted } from "../events.ts";

const KEY_CHARACTERS_MAX = 200;
const UNEVALUABLE = "(unevaluable)";

/**
 * Evaluates the concurrency key of a run. Runs with a failed evaluation share one key. Throws if a later evaluation
 * can succeed.
 */
async function evaluateConcurrencyKey(
  platform: Platform,
  { trigger, environment, workspace }: RunContext,
  concurrencyKey: NonNullable<Definition["concurrencyKey"]>,
): Promise<string> {
  const evaluation = {
    pool: platform.expressions,
    key: workspace,
    nowMs: platform.clock.nowMs(),
  };
  try {
    const template = compileTemplate(concurrencyKey);
    const value: unknown = await template.evaluate({ trigger, environment }, evaluation);
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    return text.slice(0, KEY_CHARACTERS_MAX);
  } catch (error) {
    if (error instanceof ExpressionError && error.code !== "busy") return UNEVALUABLE;
    throw error;
  }
}

const LOCK = "select pg_advisory_xact_lock($1)";
/** Counts active runs and earlier queued runs, and whether some of these may have the same key. */
const COUNT = `
  select (select count(*)::int from runs
           where workflow_id = $1 and concurrency_key is not distinct from $2
             and limited and status in ('running', 'waiting', 'paused')) as started,
         (select count(*)::int from
            (select from runs
              where workflow_id = $1 and concurrency_key is not distinct from $2
                and status = 'queued' and id < $3
              limit $4) as earlier) as earlier,
         $2::text is not null and exists
           (select from runs
             where workflow_id = $1 and concurrency_key is null and status = 'queued' and id < $3)
           as unknown`;
const SET_KEY = "update runs set concurrency_key = $2 where id = $1 and status = 'queued'";
const SET_DEADLINE = "update runs set deadline_at = $2 where id = $1 and status = 'queued'";
/** A queued run without a due time waits for the end of another run. */
const SET_DUE = "update runs set due_at = $2 where id = $1 and status = 'queued'";
/** The maximum wait for the keys of earlier runs. */
export const KEY_WAIT_MS = 25;
const WAKE_NEXT = `
  update runs set due_at = $3
   where id = (select id from runs
                where workflow_id = $1 and concurrency_key is not distinct from $2
                  and status = 'queued' and due_at is null
                order by id limit 1)`;

interface QueuePosition {
  readonly started: number;
  readonly earlier: number;
  readonly unknown: boolean;
}

type Limits = Pick<Definition, "maxConcurrency" | "concurrencyKey" | "timeoutMs">;

/**
 * Starts a queued run if the concurrency limit of its workflow allows it and no earlier run with the same key is
 * queued. `changed` means that the key or deadline was written, so the run must be loaded again. Admission and the
 * end of a run hold the same lock. So no run stays queued because of a run that just ended: the first queued run is
 * due, or a run that will wake it is active. Only limited runs count against the limit, because only they wake the
 * next one.
 */
export async function admitRun(
  platform: Platform,
  row: RunRow,
  { maxConcurrency, concurrencyKey, timeoutMs }: Limits,
  execution: Execution,
): Promise<"started" | "queued" | "changed" | "later"> {
  const { run } = execution;
  const { workspace, environment } = run;
  const cause = causeOf(run);
  const partition = { workspace, environment };
  if (
    maxConcurrency !== undefined &&
    concurrencyKey !== undefined &&
    row.concurrency_key === null
  ) {
    const key = await evaluateConcurrencyKey(platform, run, concurrencyKey);
    await runAsSystem(platform, partition, cause, (ctx) => ctx.send(SET_KEY, [row.id, key]));
    return "changed";
  }
  return runAsSystem(platform, partition, cause, async (ctx) => {
    ctx.setActor(runActor(run));
    if (maxConcurrency !== undefined) {
      void ctx.send(LOCK, [lockKeyOf(run)]);
      const parameters = [row.workflow_id, row.concurrency_key, row.id, maxConcurrency];
      const [counted] = await ctx.send<QueuePosition>(COUNT, parameters);
      const { started: taken = 0, earlier = 0, unknown = false } = counted ?? {};
      const isFull = taken + earlier >= maxConcurrency;
      if (isFull || unknown) {
        // No other run wakes runs that wait for a key.
        const dueAt = isFull ? null : new Date(ctx.now.getTime() + KEY_WAIT_MS);
        await ctx.send(SET_DUE, [row.id, dueAt]);
        return isFull ? "queued" : "later";
      }
    }
    const records = startAgents(execution, ctx.now);
    const checkpoint = { status: "running", dueAt: ctx.now, records } as const;
    // The time in the queue does not count against the timeout.
    if (timeoutMs !== undefined) {
      void ctx.send(SET_DEADLINE, [row.id, new Date(ctx.now.getTime() + timeoutMs)]);
    }
    const started = await writeCheckpoint(
      ctx,
      { id: row.id, entries: execution.journal.entries, generation: row.generation },
      checkpoint,
    );
    if (started) ctx.emit(RunStarted, runRef(run), toRunSummary(run, checkpoint, ctx.now));
    if (!started) return "queued";
    return timeoutMs === undefined && records.length === 0 ? "started" : "changed";
  });
}

/** Agents reopened by a retry while the run was queued: their time limit starts at admission. */
function startAgents({ steps }: Execution, now: Date): JournalRecord[] {
  return [...steps.values()]
    .filter(({ status, startedAt }) => status === "running" && startedAt === undefined)
    .map((record) => ({ ...record, startedAt: now.toISOString() }));
}

/** Makes the next queued run due after a limited run ended. */
export function wakeNextQueued(ctx: WriteContext<never>, run: RunContext): void {
  if (!run.limited) return;
  void ctx.send(LOCK, [lockKeyOf(run)]);
  void ctx.send(WAKE_NEXT, [run.workflowId, run.concurrencyKey ?? null, ctx.now]);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
}

function lockKeyOf({ workspace, environment, workflowId }: RunContext): bigint {
  return sha256(`runs ${workspace} ${environment} ${workflowId}`).readBigInt64BE();
}

/** Does work with the same key in sequence, in the order of the calls. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Starts the work once the previous work with this key has succeeded or failed. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key) ?? Promise.resolve();
    const current = previous.then(work, work);
    this.#tails.set(key, current);
    const cleanUp = (): void => {
      if (this.#tails.get(key) === current) this.#tails.delete(key);
    };
    current.then(cleanUp, cleanUp);
    return current;
  }
}
