/**
 * Connects requests and runs through the event log. A request to fulfil names its run. The run starts here, in the
 * transaction that advances this reader, so it starts exactly once. The outcome of the run determines the outcome of
 * the request.
 */
import { NobodyBehind } from "#domains/identity/accounts/index.ts";
import {
  endRun,
  findLastDecision,
  findRun,
  queuedStart,
  RunCancelled,
  RunCompleted,
  RunFailed,
  RunOver,
  RunResumed,
  RunRetried,
  startEvents,
  writeRunStart,
} from "#domains/runs/index.ts";
import { findDeployment, planOfVersion } from "#domains/workflows/index.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { causationOf } from "#kernel/log/event-log.ts";
import { reader } from "#kernel/readers/reader.ts";
import type { ReaderContext } from "#kernel/contract.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { hasOpenTasks } from "../../tickets/index.ts";
import {
  FulfilmentStarted,
  RequestCancelled,
  RequestFailed,
  RequestFulfilled,
  RequestStepDecided,
  RequestUpdated,
} from "./events.ts";
import { requestCommands } from "./kind.ts";
import { type CatalogRequest, requestEventData } from "./request.ts";
import { findByRuns, requestStore } from "./store.ts";

const { emit, perform, saveChanges } = requestCommands;

const emits = [
  ...startEvents,
  RunCancelled,
  FulfilmentStarted,
  RequestFulfilled,
  RequestFailed,
  RequestStepDecided,
  RequestUpdated,
] as const;
type Context = ReaderContext<(typeof emits)[number]>;

const endTypes: readonly string[] = [RunCompleted.type, RunFailed.type, RunCancelled.type];

export const fulfilmentReader = reader({
  name: "catalog.fulfilment",
  on: [
    FulfilmentStarted.type,
    RequestCancelled.type,
    ...endTypes,
    RunRetried.type,
    RunResumed.type,
  ],
  startsAt: "end",
  emits,
  async handle(ctx, events) {
    const runs = events.filter(({ resource }) => resource.type === "run");
    // A request names its run before the run starts, so other runs fulfil no request.
    const requests = await findByRuns(ctx.tx, [
      ...new Set(runs.map(({ resource }) => resource.id)),
    ]);
    for (const event of events) {
      if (event.type === FulfilmentStarted.type) await startRun(ctx, event);
      else if (event.type === RequestCancelled.type) await cancelRun(ctx, event);
      else {
        const requestId = requests.get(event.resource.id);
        if (requestId !== undefined) await applyRunEvent(ctx, event, requestId);
      }
    }
  },
});

/** Starts the fulfilment run, unless already started or no longer needed. */
async function startRun(ctx: Context, event: RecordedEvent): Promise<void> {
  const { tx, services, caller } = ctx;
  const { runId } = event.data;
  if (typeof runId !== "string") return;
  const request = await requestStore.lock(tx, event.resource.id);
  if (request.state !== "fulfilling" || request.runId !== runId) return;
  if (request.workflowId === null || (await findRun(tx, runId))) return;
  const fail = (reason: string) => failRequest(ctx, event, request, { reason, runId: null });
  if (event.depth >= CAUSATION_DEPTH_MAX) return fail("A chain of automations ends here.");
  const deployment = await findDeployment(tx, request.workflowId, caller.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || !version) return fail(`${request.workflowId} is not deployed here.`);
  if (deployment.orphaned) return fail(NobodyBehind.title);
  const start = queuedStart(services, {
    id: runId,
    workspace: event.workspace,
    environment: event.environment,
    version,
    triggerType: "request",
    trigger: { type: "request", input: requestEventData(request) },
    actor: event.actor,
    runAs: deployment.deployedBy,
    permissions: deployment.permissions,
    cause: causationOf(event),
    eventId: event.id,
  });
  await writeRunStart(ctx.because(event), start);
}

/** Cancels the run of a cancelled request if it is unfinished. */
async function cancelRun(ctx: Context, event: RecordedEvent): Promise<void> {
  const { runId } = event.data;
  if (typeof runId !== "string" || !(await findRun(ctx.tx, runId))) return;
  try {
    await endRun(ctx.because(event), runId);
  } catch (error) {
    // The run had already ended; nothing was written.
    if (!(error instanceof Failure) || error.type !== RunOver) throw error;
  }
}

/** Applies an event of a run to its request. */
async function applyRunEvent(ctx: Context, event: RecordedEvent, requestId: string): Promise<void> {
  const request = await requestStore.lock(ctx.tx, requestId);
  if (request.runId !== event.resource.id) return;
  if (event.type === RunRetried.type) return resumeRequest(ctx, event, request);
  if (event.type === RunResumed.type) return noteDecision(ctx, event, request);
  if (request.state !== "fulfilling") return;
  if (event.type === RunCancelled.type) {
    return failRequest(ctx, event, request, { reason: "The run was cancelled." });
  }
  if (event.type === RunFailed.type) {
    return failRequest(ctx, event, request, { reason: reasonOf(event) });
  }
  const run = await findRun(ctx.tx, event.resource.id);
  const output = run?.output ?? null;
  if (await hasOpenTasks(ctx.tx, request.id)) {
    if (output !== null) {
      await saveChanges(ctx.because(event), request, { ...request, output }, RequestUpdated);
    }
    return;
  }
  const fields = { output };
  await perform(ctx.because(event), request, { action: "fulfil", event: RequestFulfilled, fields });
}

/** Adds the decision of a run step to the request, because requesters and agents do not see the run. */
async function noteDecision(
  ctx: Context,
  event: RecordedEvent,
  request: CatalogRequest,
): Promise<void> {
  const stepId = String(event.data["stepId"]);
  const decision = await findLastDecision(ctx.tx, { runId: event.resource.id, stepId });
  if (!decision) return;
  const { decidedBy, ...answer } = decision;
  const by = { decidedById: decidedBy.id, decidedByName: decidedBy.name };
  emit(ctx.because(event), RequestStepDecided, request, { ...answer, ...by, stepId });
}

/** A request whose run has completed is fulfilled with the last of its required tasks. */
export const fulfilmentHook = {
  emits: [RequestFulfilled],
  async afterEnd(ctx: WriteContext<typeof RequestFulfilled>, requestId: string): Promise<void> {
    const request = await requestStore.lock(ctx.tx, requestId);
    if (request.state !== "fulfilling" || request.runId === null) return;
    const run = await findRun(ctx.tx, request.runId);
    // The output is stored in the request, because the run can be deleted later.
    const isOver = run?.status === "completed" || request.output !== null;
    if (!isOver || (await hasOpenTasks(ctx.tx, requestId))) return;
    const fields = { output: run?.output ?? request.output };
    await perform(ctx, request, { action: "fulfil", event: RequestFulfilled, fields });
  },
};

/** A retried run continues to fulfil its request. */
async function resumeRequest(
  ctx: Context,
  event: RecordedEvent,
  request: CatalogRequest,
): Promise<void> {
  if (request.state !== "failed") return;
  const transition = {
    action: "retry",
    event: FulfilmentStarted,
    fields: { reason: null },
  } as const;
  await perform(ctx.because(event), request, transition);
}

async function failRequest(
  ctx: Context,
  event: RecordedEvent,
  request: CatalogRequest,
  fields: Partial<CatalogRequest>,
): Promise<void> {
  await perform(ctx.because(event), request, { action: "fail", event: RequestFailed, fields });
}

function reasonOf({ data }: RecordedEvent): string {
  const { message } = (data["error"] ?? {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : "The run failed.";
}
