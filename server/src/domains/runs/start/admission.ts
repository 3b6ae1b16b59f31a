import type { Definition } from "#domains/workflows/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { compileTemplate } from "#kernel/expression/template.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import type { Execution } from "../engine/execution.ts";
import { runActor, type RunContext } from "../engine/run-context.ts";
import { runRef, summaryOf } from "../engine/run-summary.ts";
import { type RunRow, RUNS_DUE_SIGNAL, writeCheckpoint } from "../engine/store.ts";
import { RunStarted } from "../events.ts";

const KEY_CHARACTERS_MAX = 200;
const UNEVALUABLE = "(unevaluable)";

/**
 * What runs that exclude each other have in common. Those whose key can't be evaluated exclude each
 * other; an evaluation that may succeed later throws.
 */
async function concurrencyKeyOf(
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
const COUNT = `
  select count(*)::int as n from runs
   where workflow_id = $1 and concurrency_key is not distinct from $2
     and limited and status in ('running', 'waiting', 'paused')`;
const KEEP_KEY = "update runs set concurrency_key = $2 where id = $1 and status = 'queued'";
const SET_DEADLINE = "update runs set deadline_at = $2 where id = $1 and status = 'queued'";
/** Without a due time it waits for another one to end. */
const HOLD_BACK = "update runs set due_at = null where id = $1 and status = 'queued'";
const LET_IN = `
  update runs set due_at = $3
   where id = (select id from runs
                where workflow_id = $1 and concurrency_key is not distinct from $2
                  and status = 'queued' and due_at is null
                order by id limit 1)`;

type Limits = Pick<Definition, "maxConcurrency" | "concurrencyKey" | "timeoutMs">;

/**
 * What becomes of a run that is queued: it starts, stays, or has its key from now on, or its deadline,
 * and must be taken up anew. Whoever decides that it starts, and whoever makes room by ending, holds the
 * same lock: a run is never held back by one that has just ended. Only those that are limited themselves
 * hold others back, since only they let others in.
 */
export async function admit(
  platform: Platform,
  row: RunRow,
  { maxConcurrency, concurrencyKey, timeoutMs }: Limits,
  execution: Execution,
): Promise<"started" | "held" | "keyed"> {
  const { facts } = execution;
  const { workspace, environment, cause } = facts;
  const partition = { workspace, environment };
  if (
    maxConcurrency !== undefined &&
    concurrencyKey !== undefined &&
    row.concurrency_key === null
  ) {
    const key = await concurrencyKeyOf(platform, facts, concurrencyKey);
    await runAsSystem(platform, partition, cause, (ctx) => ctx.send(KEEP_KEY, [row.id, key]));
    return "keyed";
  }
  return runAsSystem(platform, partition, cause, async (ctx) => {
    ctx.setActor(runActor(facts));
    if (maxConcurrency !== undefined) {
      void ctx.send(LOCK, [lockOf(facts)]);
      const counted = await ctx.send<{ n: number }>(COUNT, [row.workflow_id, row.concurrency_key]);
      if ((counted[0]?.n ?? 0) >= maxConcurrency) {
        await ctx.send(HOLD_BACK, [row.id]);
        return "held";
      }
    }
    const turn = { status: "running", dueAt: ctx.now, records: [] } as const;
    // The time that it queued is not its own.
    if (timeoutMs !== undefined) {
      void ctx.send(SET_DEADLINE, [row.id, new Date(ctx.now.getTime() + timeoutMs)]);
    }
    const started = await writeCheckpoint(
      ctx,
      { id: row.id, entries: execution.entries, generation: row.generation },
      turn,
    );
    if (started) ctx.emit(RunStarted, runRef(facts), summaryOf(facts, turn, ctx.now));
    if (!started) return "held";
    return timeoutMs === undefined ? "started" : "keyed";
  });
}

/** Makes the next one due that waits for this one's end. */
export function letNextIn(ctx: WriteContext<never>, facts: RunContext): void {
  if (!facts.limited) return;
  void ctx.send(LOCK, [lockOf(facts)]);
  void ctx.send(LET_IN, [facts.workflowId, facts.concurrencyKey ?? null, ctx.now]);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
}

function lockOf({ workspace, environment, workflowId }: RunContext): bigint {
  return sha256(`runs ${workspace} ${environment} ${workflowId}`).readBigInt64BE();
}

/** Work that is done one after the other where it has the same name, in the order in which it came. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins when what came before it under this name is over, however that ended. */
  after<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(name, mine);
    const forget = (): void => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  }
}
