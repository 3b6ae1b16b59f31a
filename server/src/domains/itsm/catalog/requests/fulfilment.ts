/**
 * From requests to runs and back, by the log. A request that is to be fulfilled names the run that is to
 * do it; the run is begun here, in the transaction that moves this reader on, so that it is begun once.
 * What becomes of the run becomes of the request.
 */
import {
  endRun,
  findRun,
  queuedStart,
  RunCancelled,
  RunCompleted,
  RunFailed,
  RunOver,
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
import { FulfilmentStarted, RequestCancelled, RequestFailed, RequestFulfilled } from "./events.ts";
import { applyTransition, type CatalogRequest } from "./request.ts";
import { dataOf, refer, written } from "./service.ts";
import * as store from "./store.ts";

const emits = [
  ...startEvents,
  RunCancelled,
  FulfilmentStarted,
  RequestFulfilled,
  RequestFailed,
] as const;
type Context = ReaderContext<(typeof emits)[number]>;

const ends: readonly string[] = [RunCompleted.type, RunFailed.type, RunCancelled.type];

export const fulfilmentReader = reader({
  name: "catalog.fulfilment",
  on: [FulfilmentStarted.type, RequestCancelled.type, ...ends, RunRetried.type],
  startsAt: "end",
  emits,
  async handle(ctx, events) {
    const runs = events.filter(({ resource }) => resource.type === "run");
    // A request names its run before that begins, so whatever run is not found here is nobody's.
    const requests = await store.requestsOfRuns(ctx.tx, [
      ...new Set(runs.map(({ resource }) => resource.id)),
    ]);
    for (const event of events) {
      if (event.type === FulfilmentStarted.type) await begin(ctx, event);
      else if (event.type === RequestCancelled.type) await end(ctx, event);
      else {
        const requestId = requests.get(event.resource.id);
        if (requestId !== undefined) await follow(ctx, event, requestId);
      }
    }
  },
});

/** Begins the run that an event names, unless it has begun, or is no longer wanted. */
async function begin(ctx: Context, event: RecordedEvent): Promise<void> {
  const { tx, services, caller } = ctx;
  const { runId } = event.data;
  if (typeof runId !== "string") return;
  const request = await store.lock(tx, event.resource.id);
  if (request.state !== "fulfilling" || request.runId !== runId) return;
  if (request.workflowId === null || (await findRun(tx, runId))) return;
  const unbegun = { ...request, runId: null };
  if (event.depth >= CAUSATION_DEPTH_MAX)
    return fail(ctx, event, unbegun, "A chain of automations ends here.");
  const deployment = await findDeployment(tx, request.workflowId, caller.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || !version) {
    return fail(ctx, event, unbegun, `${request.workflowId} is not deployed here.`);
  }
  const beginning = queuedStart(services, {
    id: runId,
    workspace: event.workspace,
    environment: event.environment,
    version,
    triggerType: "request",
    trigger: { type: "request", input: dataOf(request) },
    actor: event.actor,
    runAs: deployment.deployedBy,
    permissions: deployment.permissions,
    cause: causationOf(event),
    eventId: event.id,
  });
  await writeRunStart(ctx.because(event), beginning);
}

/** Ends the run of a request that was taken back, if it began and is not over. */
async function end(ctx: Context, event: RecordedEvent): Promise<void> {
  const { runId } = event.data;
  if (typeof runId !== "string" || !(await findRun(ctx.tx, runId))) return;
  try {
    await endRun(ctx.because(event), runId);
  } catch (error) {
    // It was quicker; nothing was written.
    if (!(error instanceof Failure) || error.type !== RunOver) throw error;
  }
}

/** What becomes of a run becomes of the request that it fulfils. */
async function follow(ctx: Context, event: RecordedEvent, requestId: string): Promise<void> {
  const request = await store.lock(ctx.tx, requestId);
  if (request.runId !== event.resource.id) return;
  if (event.type === RunRetried.type) return goOn(ctx, event, request);
  if (request.state !== "fulfilling") return;
  if (event.type === RunCancelled.type) return fail(ctx, event, request, "The run was cancelled.");
  if (event.type === RunFailed.type) return fail(ctx, event, request, reasonOf(event));
  const run = await findRun(ctx.tx, event.resource.id);
  const act = ctx.because(event);
  const after = written(
    act,
    applyTransition(request, "fulfil", ctx.now, { output: run?.output ?? null }),
  );
  act.emit(RequestFulfilled, refer(after), dataOf(after));
}

/** Somebody made the run go on, and with it the request. */
function goOn(ctx: Context, event: RecordedEvent, request: CatalogRequest): void {
  if (request.state !== "failed") return;
  const act = ctx.because(event);
  const after = written(act, applyTransition(request, "retry", ctx.now, { reason: null }));
  act.emit(FulfilmentStarted, refer(after), dataOf(after));
}

function fail(ctx: Context, event: RecordedEvent, request: CatalogRequest, reason: string): void {
  const act = ctx.because(event);
  const after = written(act, applyTransition(request, "fail", ctx.now, { reason }));
  act.emit(RequestFailed, refer(after), dataOf(after));
}

function reasonOf({ data }: RecordedEvent): string {
  const { message } = (data["error"] ?? {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : "The run failed.";
}
