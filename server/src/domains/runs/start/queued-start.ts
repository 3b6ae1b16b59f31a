import type { ReceivedFile } from "#domains/files/index.ts";
import type { PlannedVersion } from "#domains/workflows/index.ts";
import type { PlatformServices, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Actor, Causation } from "#kernel/log/event.ts";
import { idsInOrder } from "#kernel/schema/id.ts";
import { SHARDS } from "#kernel/work/shard-leases.ts";
import { RunQueued, RunStarted } from "../events.ts";
import { runActor, type RunContext, type TestRun } from "../engine/run-context.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { insertRun, type RunRow, type Checkpoint, RUNS_DUE_SIGNAL } from "../engine/store.ts";

/** The input of a start. */
export interface RunStart {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly version: PlannedVersion;
  readonly triggerType: string;
  /** The value of `trigger` in expressions. */
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  /** The user whose permissions the run has. */
  readonly runAs: string;
  /** A subset of the user's permissions; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  /** The causation of the run, one link deeper than its cause. */
  readonly cause: Causation;
  readonly eventId?: string;
  /** A derived id of the run; a new id by default. */
  readonly id?: string;
  readonly parent?: { readonly runId: string; readonly path: string };
  readonly test?: TestRun;
  /** Content that arrived with the input. It becomes files of the run. */
  readonly uploads?: readonly ReceivedFile[];
}

/** The checkpoint of a queued start. */
export function firstCheckpoint({ limited }: RunContext, now: Date): Checkpoint {
  return { status: limited ? "queued" : "running", dueAt: now, records: [] };
}

/** Writes a run for the runner to execute from its first step. */
export function insertQueuedRun(
  ctx: WriteContext<typeof RunQueued | typeof RunStarted>,
  run: RunContext,
  eventId: string | undefined,
): void {
  const checkpoint = firstCheckpoint(run, ctx.now);
  insertRun(ctx, run, checkpoint, eventId);
  ctx.setActor(runActor(run));
  const summary = toRunSummary(run, checkpoint, ctx.now);
  if (run.limited) ctx.emit(RunQueued, runRef(run), summary);
  else ctx.emit(RunStarted, runRef(run), summary);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
}

let idsOfMoment = { ms: 0, next: idsInOrder("run", 0) };

/** An id that sorts after earlier runs, because queued runs are admitted in this order. */
export function nextRunId(nowMs: number): `run_${string}` {
  if (idsOfMoment.ms !== nowMs) idsOfMoment = { ms: nowMs, next: idsInOrder("run", nowMs) };
  return idsOfMoment.next();
}

export function newRunContext(services: PlatformServices, start: RunStart): RunContext {
  const { version, parent, test } = start;
  const { maxConcurrency, timeoutMs, name } = version.definition;
  const nowMs = services.clock.nowMs();
  const id = start.id ?? nextRunId(nowMs);
  const limited = maxConcurrency !== undefined;
  return {
    id,
    workspace: start.workspace,
    environment: start.environment,
    workflowId: version.workflowId,
    workflowName: name,
    versionId: version.versionId,
    shard: shardOf({ id, workflowId: version.workflowId, limited }),
    triggerType: start.triggerType,
    trigger: start.trigger,
    actor: start.actor,
    runAs: start.runAs,
    permissions: start.permissions,
    cause: withoutMaker(start.cause),
    parent,
    test,
    generation: 0,
    limited,
    // Evaluated at admission, because it can take longer than a transaction may last.
    concurrencyKey: undefined,
    createdAt: new Date(nowMs).toISOString(),
    // A queued run gets its deadline on admission.
    deadlineMs: timeoutMs === undefined || limited ? Number.POSITIVE_INFINITY : nowMs + timeoutMs,
  };
}

/** The step that starts a run caused only the start, and not the effects of the run. */
function withoutMaker({ madeBy: _, ...cause }: Causation): Causation {
  return cause;
}

/** The shard of a run. All runs of a limited workflow share one shard, which counts them. */
export function shardOf(run: Pick<RunContext, "id" | "workflowId" | "limited">): number {
  return sha256(run.limited ? run.workflowId : run.id).readUInt8() % SHARDS;
}

export function toRunContext(
  row: RunRow,
  version: PlannedVersion,
  startEventId?: string,
): RunContext {
  const { causation_id, correlation_id, depth, parent_run_id, parent_path, deadline_at } = row;
  return {
    id: row.id,
    workspace: row.workspace_id,
    environment: row.environment,
    workflowId: row.workflow_id,
    workflowName: version.definition.name,
    versionId: row.version_id,
    shard: row.shard,
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
    startEventId,
    deadlineMs: deadline_at === null ? Number.POSITIVE_INFINITY : Date.parse(deadline_at),
  };
}
