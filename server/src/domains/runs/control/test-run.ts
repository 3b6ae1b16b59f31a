import { authorityOf } from "#domains/identity/accounts/index.ts";
import {
  ArchivedVersion,
  compilePlan,
  type Definition,
  definitionErrors,
  findTrigger,
  findVersion,
  getWorkflow,
  type Graph,
  nodeTypesOf,
  type PlannedVersion,
  toNodeKey,
  WorkflowsWrite,
} from "#domains/workflows/index.ts";
import { type Caller } from "#kernel/access/caller.ts";
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
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { toCheckpoint } from "../engine/checkpoint.ts";
import type { TestRun } from "../engine/run-context.ts";
import { RunTested } from "../events.ts";
import { chooseEvent } from "../triggers/chosen-event.ts";
import { isolateStep, relocateNames } from "./isolated-step.ts";
import { findPinnedData, listNodeNames } from "./pinned-data.ts";
import type { TracedRun } from "../run.ts";
import { buildTrace } from "../run-trace.ts";
import { assertFittingInput, toTriggeredRun } from "./trigger-run.ts";

const STEPS_MAX = 2_000;

/** The definition or version to test, its input, and the mocks. */
export interface TestRunRequest {
  readonly input?: unknown;
  readonly event?: unknown;
  readonly eventId?: string;
  readonly versionId?: string;
  readonly definition?: Definition;
  readonly mocks?: Readonly<Record<string, unknown>>;
  readonly mockErrors?: NonNullable<TestRun["errors"]>;
  readonly only?: string;
  readonly runId?: string;
  readonly item?: unknown;
}

/** Executes a test run in memory. It has no effects outside. */
export async function runWorkflowTest(
  platform: Platform,
  caller: Caller,
  workflowId: string,
  request: TestRunRequest,
): Promise<PreparedStart> {
  const { environment, workspace } = caller;
  if (!workspace) throw new Error("Runs belong to a workspace.");
  assertTestable(caller, request);
  const partition = { workspace: workspace.key, environment };
  const chosen = await chooseEvent(platform, caller, request);
  const { tested, pinned } = await platform.db.read(partition, async (tx) => ({
    tested: await resolveTestedVersion(tx, platform, workflowId, request),
    pinned: await findPinnedData(tx, workflowId),
  }));
  const { maxConcurrency: _, concurrencyKey: __, ...whole } = tested.definition;
  assertKnownNodes(compilePlan(whole, nodeTypesOf(platform)).graph, request);
  const trigger = findTrigger(whole)?.trigger;
  if (trigger && request.input !== undefined && request.only === undefined) {
    assertFittingInput(trigger, request.input);
  }
  const mocks = { ...pinned.outputs, ...withNodeKeys(request.mocks) };
  const alone = await isolateStep(platform, caller, { workflowId, whole, mocks, request });
  const definition = alone?.definition ?? whole;
  const plan = compilePlan(definition, nodeTypesOf(platform));
  const version: PlannedVersion = { ...tested, definition, plan };
  const { runAs, permissions } = authorityOf(caller);
  const errors = request.mockErrors && withNodeKeys(request.mockErrors);
  return startInline(platform, {
    ...partition,
    version,
    triggerType: "test",
    trigger: chooseTrigger(request, chosen.trigger, alone?.trigger),
    actor: caller.actor,
    runAs,
    permissions: permissions ?? undefined,
    cause: { ...caller.cause, depth: caller.cause.depth + 1 },
    test: {
      mocks: alone?.mocks ?? mocks,
      ...(errors && { errors: alone ? relocateNames(errors, alone.key) : errors }),
      ...(alone && { given: alone.given }),
      ...((tested.unsaved || alone) && { definition }),
    },
  });
}

/** An unsaved definition needs more than the permission to trigger workflows. */
export function assertTestable(
  caller: Caller,
  request: Pick<TestRunRequest, "versionId" | "definition">,
): void {
  if (request.versionId !== undefined && request.definition !== undefined) {
    throw invalidField("/definition", "can't be combined with a versionId");
  }
  // The permission to trigger workflows does not include running an unsaved definition.
  if (request.definition !== undefined && !caller.permissions.has(WorkflowsWrite.name)) {
    const detail = `An unsaved definition requires the permission ${WorkflowsWrite.name}.`;
    throw new Failure(Forbidden, { detail });
  }
}

/** The trigger that expressions see: from the request, or from the named run. */
function chooseTrigger(
  { input }: TestRunRequest,
  chosen: { readonly event?: unknown },
  ofRun: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  if (ofRun && input === undefined && chosen.event === undefined) return ofRun;
  return { type: "manual", input: input ?? null, ...chosen };
}

/** Stores the test run. It starts no error workflow and resumes no parent run. */
export async function insertTestRun(
  ctx: WriteContext<typeof RunTested>,
  { run, execution, result, ...rest }: PreparedStart,
): Promise<TracedRun> {
  if (!execution || !result) throw new Error("A test is over before it is written.");
  const checkpoint = toCheckpoint(execution, result);
  insertRun(ctx, run, checkpoint);
  ctx.emit(RunTested, runRef(run), toRunSummary(run, checkpoint, ctx.now));
  const { plan } = rest.start.version;
  const traceable = {
    status: checkpoint.status,
    plan,
    steps: execution.steps,
    nowMs: ctx.now.getTime(),
  };
  return {
    ...toTriggeredRun({ run, execution, result, ...rest }, ctx.now),
    trigger: { ...run.trigger },
    output: checkpoint.output ?? null,
    trace: buildTrace(traceable, { limit: STEPS_MAX }),
  };
}

interface TestedVersion extends Omit<PlannedVersion, "plan"> {
  /** The run must store the definition because it is not a saved version. */
  readonly unsaved: boolean;
}

/** Resolves to the named version, the definition in the request, or the deployed version. */
export async function resolveTestedVersion(
  tx: Tx,
  platform: Platform,
  workflowId: string,
  { versionId, definition }: Pick<TestRunRequest, "versionId" | "definition">,
): Promise<TestedVersion> {
  const workflow = await getWorkflow(tx, workflowId);
  const { id, version: number } = workflow.newest;
  if (versionId !== undefined) {
    const version = await findVersion(tx, workflowId, { id: versionId });
    if (!version) throw invalidField("/versionId", "is not a version of this workflow");
    if (version.status === "archived") throw new Failure(ArchivedVersion);
    const { version: known } = version;
    return { versionId, workflowId, number: known, definition: version.definition, unsaved: false };
  }
  const testedDefinition = definition ?? workflow.definition;
  const errors = await definitionErrors({ tx, services: platform }, testedDefinition);
  if (errors.length > 0) throw new Failure(Invalid, { errors: errors.map(underDefinition) });
  return { versionId: id, workflowId, number, definition: testedDefinition, unsaved: true };
}

function underDefinition({ path, message }: FieldError): FieldError {
  return { path: `/definition${path}`, message };
}

function assertKnownNodes(graph: Graph, request: TestRunRequest): void {
  const known = new Set(listNodeNames(graph));
  const errors = (["mocks", "mockErrors"] as const).flatMap((field) =>
    Object.keys(request[field] ?? {})
      .filter((name) => !known.has(toNodeKey(name)))
      .map((name) => ({ path: `/${field}/${name}`, message: "is not a node of the workflow" })),
  );
  if (errors.length > 0) throw new Failure(Invalid, { errors });
}

function withNodeKeys<T>(all: Readonly<Record<string, T>> = {}): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [toNodeKey(name), one]));
}
