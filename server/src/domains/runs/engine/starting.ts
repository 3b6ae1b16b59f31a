import {
  findDeployment,
  type Over,
  planOf,
  type PlannedVersion,
} from "#domains/workflows/index.ts";
import type { Outside, Services } from "#kernel/caller.ts";
import { sha256 } from "#kernel/crypto.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { type Actor, type Cause, DEPTH_MAX } from "#kernel/event.ts";
import { newId } from "#kernel/id.ts";
import { LANES } from "#kernel/lanes.ts";
import type { WriteContext } from "#kernel/operation.ts";
import {
  RunCompleted,
  RunFailed,
  RunPaused,
  RunQueued,
  RunStarted,
  type StartEvent,
} from "../events.ts";
import { type Begun, Execution } from "./execution.ts";
import { actorOf, type RunFacts, type TestRun } from "./facts.ts";
import { runner } from "./runner.ts";
import { insertRun, type Turn } from "./store.ts";
import { keepWaits } from "./waits.ts";
import { WORK } from "./work.ts";
import { followUp, referTo, summaryOf, turnOf } from "./writing.ts";

/** What is needed to start a run. */
export interface Start {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly version: PlannedVersion;
  readonly triggerType: string;
  /** What expressions see as `trigger`. */
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  readonly runAs: string;
  /** Of the run itself: one link deeper than what started it. */
  readonly cause: Cause;
  readonly eventId?: string;
  /** Its id, where that follows from something; a new one otherwise. */
  readonly id?: string;
  readonly parent?: { readonly runId: string; readonly path: string };
  readonly test?: TestRun;
}

/** A run that is about to be written. */
export interface Beginning {
  readonly facts: RunFacts;
  readonly start: Start;
  /** How far it got before anything was written; absent when it is left to the runner. */
  readonly execution?: Execution;
  readonly begun: readonly Begun[];
  readonly over: Over | undefined;
}

/** A run that the runner carries on from its beginning. */
export function plainBeginning(services: Services, start: Start): Beginning {
  return { facts: newFacts(services, start), start, begun: [], over: undefined };
}

/**
 * Takes a run as far as it goes without reaching outside, before a transaction is open. Many runs end
 * here, and are then written once, as they ended.
 */
export async function headStart(outside: Outside, start: Start): Promise<Beginning> {
  const { definition, plan } = start.version;
  const facts = newFacts(outside, start);
  if (definition.maxConcurrency !== undefined) return { facts, start, begun: [], over: undefined };
  const execution = new Execution(outside, facts, plan, { lines: [], entries: 0 });
  const { begun, over } = await execution.settle();
  return { facts, start, execution, begun, over };
}

/** Writes a run at its beginning, and hands it on once that is committed. */
export async function writeBeginning(
  ctx: WriteContext<StartEvent>,
  beginning: Beginning,
): Promise<void> {
  const { facts, start, execution, begun, over } = beginning;
  const turn: Turn = execution
    ? turnOf(execution, over)
    : { status: facts.limited ? "queued" : "running", dueAt: ctx.now, records: [] };
  insertRun(ctx, facts, turn, start.eventId);
  const run = referTo(facts);
  ctx.actAs(actorOf(facts));
  if (turn.status === "queued") ctx.emit(RunQueued, run, summaryOf(facts, turn, ctx.now));
  else ctx.emit(RunStarted, run, summaryOf(facts, { status: "running" }, ctx.now));
  if (over) {
    const summary = summaryOf(facts, turn, ctx.now);
    if (over.status === "completed") ctx.emit(RunCompleted, run, summary);
    else ctx.emit(RunFailed, run, summary);
    await followUp(ctx, facts, turn);
  } else if (execution) {
    keepWaits(ctx, execution, execution.unwritten, false);
    if (turn.status === "paused") ctx.emit(RunPaused, run, summaryOf(facts, turn, ctx.now));
  }
  const entries = turn.records.length > 0 ? 1 : 0;
  const { services } = ctx;
  ctx.onCommit(() => {
    execution?.written(turn.records.length, entries);
    if (over) return;
    const engine = services.engineOf(runner);
    const taken = execution && begun.length > 0 ? engine?.offer(execution, begun) : false;
    if (!taken && turn.dueAt) engine?.wake();
    if (!taken) services.signal.raise(WORK);
  });
}

/** The workflow that is to hear of a failure starts with it, when it is deployed here. */
export async function startErrorRun(
  ctx: WriteContext<StartEvent>,
  facts: RunFacts,
  error: unknown,
): Promise<void> {
  const { services, tx } = ctx;
  const failed = await planOf({ tx, services }, facts.versionId);
  const workflowId = failed?.definition.errorWorkflowId;
  // A workflow that fails to hear of a failure does not hear of that.
  if (workflowId === undefined || facts.triggerType === "error") return;
  if (facts.cause.depth >= DEPTH_MAX || facts.test) return;
  const deployment = await findDeployment(tx, workflowId, facts.environment);
  const version = deployment && (await planOf({ tx, services }, deployment.versionId));
  if (!deployment || !version) return;
  const { id, workflowName } = facts;
  const run = { id, workflowId: facts.workflowId, workflowName, versionId: facts.versionId };
  const start = {
    workspace: facts.workspace,
    environment: facts.environment,
    version,
    triggerType: "error",
    trigger: { type: "error", input: { error, run } },
    actor: actorOf(facts),
    runAs: deployment.deployedBy,
    cause: { ...facts.cause, depth: facts.cause.depth + 1 },
  };
  await writeBeginning(ctx, plainBeginning(services, start));
  ctx.actAs(actorOf(facts));
}

function newFacts(services: Services, start: Start): RunFacts {
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
    lane: laneOf({ id, workflowId: version.workflowId, limited }),
    triggerType: start.triggerType,
    trigger: start.trigger,
    actor: start.actor,
    runAs: start.runAs,
    cause: start.cause,
    parent,
    test,
    generation: 0,
    limited,
    // Known when it is admitted: to evaluate it may take longer than a transaction may wait.
    concurrencyKey: undefined,
    createdAt: new Date(nowMs).toISOString(),
    deadlineMs: timeoutMs === undefined ? Number.POSITIVE_INFINITY : nowMs + timeoutMs,
  };
}

/** Who limits how many run at a time must have them all in one hand. */
export function laneOf(run: Pick<RunFacts, "id" | "workflowId" | "limited">): number {
  return sha256(run.limited ? run.workflowId : run.id).readUInt8() % LANES;
}
