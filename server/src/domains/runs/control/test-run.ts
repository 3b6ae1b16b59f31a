import {
  ArchivedVersion,
  compilePlan,
  confinementOf,
  type Definition,
  definitionErrors,
  findVersion,
  getWorkflow,
  type Graph,
  nodeTypesOf,
  type PlannedVersion,
  WorkflowsWrite,
} from "#domains/workflows/index.ts";
import { type Caller, userIdOf } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import {
  Failure,
  type FieldError,
  Forbidden,
  Invalid,
  invalidField,
} from "#kernel/operation/failure.ts";
import { type PreparedStart, startInline } from "../start/start-run.ts";
import { insertRun } from "../engine/store.ts";
import { runRef, summaryOf } from "../engine/run-summary.ts";
import { checkpointOf } from "../engine/checkpoint.ts";
import { RunTested } from "../events.ts";
import { findPins, nodeIdsOf } from "./pinned-data.ts";
import type { TracedRun } from "../run.ts";
import { traceOf } from "../run-trace.ts";
import { toTriggered } from "./trigger-run.ts";

const STEPS_MAX = 2_000;

/** What is to be tried, and what is to be taken for granted. */
export interface TestRunRequest {
  readonly input?: unknown;
  readonly event?: unknown;
  readonly versionId?: string;
  readonly definition?: Definition;
  readonly mocks?: Readonly<Record<string, unknown>>;
}

/** Carries it out in memory: nothing of it reaches outside. */
export async function runWorkflowTest(
  platform: Platform,
  caller: Caller,
  workflowId: string,
  trial: TestRunRequest,
): Promise<PreparedStart> {
  const { environment, workspace } = caller;
  if (!workspace) throw new Error("Runs belong to a workspace.");
  if (trial.versionId !== undefined && trial.definition !== undefined) {
    throw invalidField("/definition", "can't be given together with a versionId");
  }
  // Whoever may only run what others wrote must not run what they write themselves.
  if (trial.definition !== undefined && !caller.permissions.has(WorkflowsWrite.name)) {
    const detail = `A definition that is not saved needs the permission ${WorkflowsWrite.name}.`;
    throw new Failure(Forbidden, { detail });
  }
  const partition = { workspace: workspace.key, environment };
  const { based, pins } = await platform.db.read(partition, async (tx) => ({
    based: await basisOf(tx, platform, workflowId, trial),
    pins: await findPins(tx, workflowId),
  }));
  const { maxConcurrency: _, concurrencyKey: __, ...definition } = based.definition;
  const plan = compilePlan(definition, nodeTypesOf(platform));
  const version: PlannedVersion = { ...based, definition, plan };
  const mocks = { ...pins.outputs, ...knownOf(plan.graph, trial.mocks ?? {}) };
  const { input = null, event } = trial;
  return startInline(platform, {
    ...partition,
    version,
    triggerType: "test",
    trigger: { type: "manual", input, ...(event !== undefined && { event }) },
    actor: caller.actor,
    runAs: userIdOf(caller),
    permissions: confinementOf(caller),
    cause: { ...caller.cause, depth: caller.cause.depth + 1 },
    test: { mocks, ...(based.unsaved && { definition }) },
  });
}

/** Keeps the test as a run. Nothing follows from it: no error workflow, nobody who waits. */
export async function insertTestRun(
  ctx: WriteContext<typeof RunTested>,
  { facts, execution, over, ...rest }: PreparedStart,
): Promise<TracedRun> {
  if (!execution || !over) throw new Error("A test is over before it is written.");
  const turn = checkpointOf(execution, over);
  insertRun(ctx, facts, turn);
  ctx.emit(RunTested, runRef(facts), summaryOf(facts, turn, ctx.now));
  const { plan } = rest.start.version;
  const traceable = { status: turn.status, plan, steps: execution.steps, nowMs: ctx.now.getTime() };
  return {
    ...toTriggered({ facts, execution, over, ...rest }, ctx.now),
    trigger: { ...facts.trigger },
    output: turn.output ?? null,
    trace: traceOf(traceable, { limit: STEPS_MAX }),
  };
}

interface Basis extends Omit<PlannedVersion, "plan"> {
  /** It is no version, so that the run must keep it. */
  readonly unsaved: boolean;
}

/** The version that is named, the definition that is given, or the live one. */
async function basisOf(
  tx: Tx,
  platform: Platform,
  workflowId: string,
  { versionId, definition }: TestRunRequest,
): Promise<Basis> {
  const workflow = await getWorkflow(tx, workflowId);
  const { id, version: number } = workflow.newest;
  if (versionId !== undefined) {
    const version = await findVersion(tx, workflowId, { id: versionId });
    if (!version) throw invalidField("/versionId", "is not a version of this workflow");
    if (version.status === "archived") throw new Failure(ArchivedVersion);
    const { version: known } = version;
    return { versionId, workflowId, number: known, definition: version.definition, unsaved: false };
  }
  const tried = definition ?? workflow.definition;
  const faults = await definitionErrors({ tx, services: platform }, tried);
  if (faults.length > 0) throw new Failure(Invalid, { errors: faults.map(within) });
  return { versionId: id, workflowId, number, definition: tried, unsaved: true };
}

function within({ path, message }: FieldError): FieldError {
  return { path: `/definition${path}`, message };
}

function knownOf(graph: Graph, mocks: Readonly<Record<string, unknown>>) {
  const known = new Set(nodeIdsOf(graph));
  const errors = Object.keys(mocks)
    .filter((id) => !known.has(id))
    .map((id) => ({ path: `/mocks/${id}`, message: "is not a node of the workflow" }));
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  return mocks;
}
