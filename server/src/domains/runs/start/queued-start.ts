import type { PlannedVersion } from "#domains/workflows/index.ts";
import type { PlatformServices, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Actor, Causation } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import { SHARDS } from "#kernel/work/shard-leases.ts";
import { RunQueued, RunStarted } from "../events.ts";
import { runActor, type RunContext, type TestRun } from "../engine/run-context.ts";
import { runRef, summaryOf } from "../engine/run-summary.ts";
import { insertRun, type RunRow, type Checkpoint, RUNS_DUE_SIGNAL } from "../engine/store.ts";

/** What is needed to start a run. */
export interface RunStart {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly version: PlannedVersion;
  readonly triggerType: string;
  /** What expressions see as `trigger`. */
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  /** Whose permissions it has. */
  readonly runAs: string;
  /** Which of them; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  /** Of the run itself: one link deeper than what started it. */
  readonly cause: Causation;
  readonly eventId?: string;
  /** Its id, where that follows from something; a new one otherwise. */
  readonly id?: string;
  readonly parent?: { readonly runId: string; readonly path: string };
  readonly test?: TestRun;
}

/** What is written of a run that nobody has begun yet. */
export function firstCheckpoint({ limited }: RunContext, now: Date): Checkpoint {
  return { status: limited ? "queued" : "running", dueAt: now, records: [] };
}

/** Writes a run that the runner carries on from its beginning. */
export function insertQueuedRun(
  ctx: WriteContext<typeof RunQueued | typeof RunStarted>,
  facts: RunContext,
  eventId: string | undefined,
): void {
  const turn = firstCheckpoint(facts, ctx.now);
  insertRun(ctx, facts, turn, eventId);
  ctx.setActor(runActor(facts));
  const summary = summaryOf(facts, turn, ctx.now);
  if (facts.limited) ctx.emit(RunQueued, runRef(facts), summary);
  else ctx.emit(RunStarted, runRef(facts), summary);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
}

/** The facts of a run that is started now. */
export function newRunContext(services: PlatformServices, start: RunStart): RunContext {
  const { version, parent, test } = start;
  const { maxConcurrency, timeoutMs, name } = version.definition;
  const nowMs = services.clock.nowMs();
  const id = start.id ?? newId("run", nowMs);
  const limited = maxConcurrency !== undefined;
  return {
    id,
    workspace: start.workspace,
    environment: start.environment,
    workflowId: version.workflowId,
    workflowName: name,
    versionId: version.versionId,
    lane: shardOf({ id, workflowId: version.workflowId, limited }),
    triggerType: start.triggerType,
    trigger: start.trigger,
    actor: start.actor,
    runAs: start.runAs,
    permissions: start.permissions,
    cause: start.cause,
    parent,
    test,
    generation: 0,
    limited,
    // Known when it is admitted: to evaluate it may take longer than a transaction may wait.
    concurrencyKey: undefined,
    createdAt: new Date(nowMs).toISOString(),
    // Of one that queues it is set when it is admitted.
    deadlineMs: timeoutMs === undefined || limited ? Number.POSITIVE_INFINITY : nowMs + timeoutMs,
  };
}

/** Who limits how many run at a time must have them all in one hand. */
export function shardOf(run: Pick<RunContext, "id" | "workflowId" | "limited">): number {
  return sha256(run.limited ? run.workflowId : run.id).readUInt8() % SHARDS;
}

/** The facts of a run, from its row and its version. */
export function runContextOf(row: RunRow, version: PlannedVersion): RunContext {
  const { causation_id, correlation_id, depth, parent_run_id, parent_path, deadline_at } = row;
  return {
    id: row.id,
    workspace: row.workspace_id,
    environment: row.environment,
    workflowId: row.workflow_id,
    workflowName: version.definition.name,
    versionId: row.version_id,
    lane: row.lane,
    triggerType: row.trigger_type,
    trigger: row.trigger,
    actor: row.actor,
    runAs: row.run_as,
    permissions: row.permissions ?? undefined,
    cause: {
      correlationId: correlation_id,
      ...(causation_id !== null && { causationId: causation_id }),
      depth,
    },
    parent:
      parent_run_id !== null && parent_path !== null
        ? { runId: parent_run_id, path: parent_path }
        : undefined,
    test: row.test ?? undefined,
    generation: row.generation,
    limited: version.definition.maxConcurrency !== undefined,
    concurrencyKey: row.concurrency_key ?? undefined,
    createdAt: row.created_at,
    deadlineMs: deadline_at === null ? Number.POSITIVE_INFINITY : Date.parse(deadline_at),
  };
}
