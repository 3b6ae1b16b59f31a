import Type, { type Static } from "typebox";
import {
  ApprovalExpired,
  type ApprovalRecord,
  closeApproval,
  decideApproval,
  type DecisionFailures,
  noteReminder,
  recountApproval,
  type Settled,
  StepEnded,
} from "#domains/approvals/index.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  applyRating,
  assertTasksEnded,
  assertMayRate,
  getTicketIdentity,
  invalidTransition,
  nextState,
  NotYoursToRate,
  RatingFixed,
  RatingInput,
  TasksOpen,
} from "../../tickets/index.ts";
import { items } from "../items/item-resource.ts";
import { RequestsSubmit, RequestsWork } from "../permissions.ts";
import {
  ApprovalReminded,
  ApprovalRequested,
  FulfilmentStarted,
  RequestApproved,
  RequestCancelled,
  RequestFulfilled,
  RequestRated,
  RequestRejected,
  RequestUpdated,
} from "./events.ts";
import { requestCommands, requestKind, RequestTaskAdded } from "./kind.ts";
import { describeApproval } from "./request-approval.ts";
import {
  AlreadyDecided,
  applyRequestTransition,
  type CatalogRequest,
  isRequester,
  NotAnApprover,
  NotYourRequest,
  OwnRequest,
  Remark,
  RemindedRecently,
  RequestAutomated,
  type RequestData,
  requestMachine,
} from "./request.ts";
import { beginTasks, newRunId, startFulfilment } from "./service.ts";

const { command, transition, perform, save, saveChanges, emit } = requestCommands;

const FAILURES = {
  own: OwnRequest,
  not_asked: NotAnApprover,
  decided: AlreadyDecided,
} as const satisfies DecisionFailures;

const DECISION_FAILURES = [...Object.values(FAILURES), ApprovalExpired, StepEnded];

const DecidedStep = Type.Integer({
  minimum: 0,
  description: "Number of the approval step, starting with 0. Default: the current step",
});

const subjectOf = ({ id }: Pick<RequestData, "id">) => ({ kind: "request", id });

const approveRequest = command("approve", {
  effect: "drastic",
  summary: "Approve a request",
  description:
    "Approvers of the current step can approve. If the step has no approvers, members with `requests:work` can. The requester and the person " +
    "the request is for cannot. When the step has enough approvals, the next step starts.",
  permission: RequestsSubmit,
  body: object({ comment: Type.Optional(Remark), step: Type.Optional(DecidedStep) }),
  emits: [RequestApproved, FulfilmentStarted, ApprovalRequested, RequestUpdated, RequestTaskAdded],
  fails: [requestMachine.wrongState, ...DECISION_FAILURES],
  example: { comment: "It is in the budget." },
  async run(ctx, before, { comment = null, step }) {
    nextState(requestMachine, before.state, "approve");
    const decision = { approved: true, comment, step };
    return carryOn(ctx, before, await decideApproval(ctx, subjectOf(before), decision, FAILURES));
  },
});

const rejectRequest = transition("reject", {
  effect: "drastic",
  summary: "Reject a request",
  description: "Approvers of the request can reject it. One rejection is enough.",
  permission: RequestsSubmit,
  body: object({ reason: Remark, step: Type.Optional(DecidedStep) }),
  event: RequestRejected,
  fails: DECISION_FAILURES,
  example: { reason: "There are some in the cupboard." },
  async fields(ctx, request, { reason, step }) {
    const decision = { approved: false, comment: reason, step };
    const { approval } = await decideApproval(ctx, subjectOf(request), decision, FAILURES);
    return { reason, approval: describeApproval(approval) };
  },
});

/** Hours between the request or the last reminder and a manual reminder. */
const REMINDER_PAUSE_HOURS = 24;

const remindApprovers = command("remind", {
  effect: "ordinary",
  summary: "Remind the approvers of a request",
  description:
    "The requester, the person the request is for, and members with `requests:work` can remind, 24 hours after the last reminder.",
  forAskers: true,
  emits: [ApprovalReminded],
  fails: [requestMachine.wrongState, RemindedRecently],
  states: ["awaiting_approval"],
  async run(ctx, before) {
    nextState(requestMachine, before.state, "approve");
    const after = await remind(ctx, before, REMINDER_PAUSE_HOURS);
    if (!after) throw new Failure(RemindedRecently);
    return after.request;
  },
});

/** Updates the approvers of a pending request after changes of members, roles or teams. */
export async function recountRequest(
  ctx: WriteContext<ApprovalEvents>,
  before: CatalogRequest,
): Promise<void> {
  const settled = await recountApproval(ctx, subjectOf(before));
  if (!settled) return;
  const approval = describeApproval(settled.approval);
  // The request shows no difference if only the approver entries were replaced.
  if (JSON.stringify(approval) === JSON.stringify(before.approval)) return;
  if (!settled.isUnstaffed) return void (await carryOn(ctx, before, settled));
  emit(ctx, ApprovalRequested, await save(ctx, before, { ...before, approval }));
}

/** Rejects a request whose approval has expired. */
export async function expireRequest(
  ctx: WriteContext<ApprovalEvents>,
  before: CatalogRequest,
): Promise<void> {
  const { expiresAt } = before.approval;
  if (before.state !== "awaiting_approval" || !expiresAt) return;
  if (ctx.now.getTime() < Date.parse(expiresAt)) return;
  const approval = await closeApproval(ctx, subjectOf(before), "expired");
  const fields = {
    reason: "It was not approved in time.",
    approval: describeApproval(approval),
  };
  await perform(ctx, before, { action: "reject", event: RequestRejected, fields });
}

/** Reminds the approvers of a request, unless the last reminder is too recent. */
export async function remind(
  ctx: WriteContext<typeof ApprovalReminded>,
  before: CatalogRequest,
  pauseHours: number,
): Promise<{ readonly request: CatalogRequest; readonly approval: ApprovalRecord } | undefined> {
  const approval = await noteReminder(ctx, subjectOf(before), pauseHours);
  if (!approval) return undefined;
  const next = { ...before, approval: describeApproval(approval) };
  const request = await save(ctx, before, next);
  emit(ctx, ApprovalReminded, request);
  return { request, approval };
}

export type ApprovalEvents =
  | typeof RequestApproved
  | typeof RequestRejected
  | typeof FulfilmentStarted
  | typeof ApprovalRequested
  | typeof ApprovalReminded
  | typeof RequestUpdated
  | typeof RequestTaskAdded;

/** Applies the outcome of an approval to a request. */
async function carryOn(
  ctx: WriteContext<
    | typeof RequestApproved
    | typeof FulfilmentStarted
    | typeof ApprovalRequested
    | typeof RequestUpdated
    | typeof RequestTaskAdded
  >,
  before: CatalogRequest,
  { approval: settled, outcome }: Settled,
): Promise<CatalogRequest> {
  const approval = describeApproval(settled);
  if (outcome === "approved") return fulfilApproved(ctx, before, approval);
  const next = { ...before, approval };
  if (outcome === "waits") return saveChanges(ctx, before, next, RequestUpdated);
  const after = await save(ctx, before, next);
  emit(ctx, ApprovalRequested, after);
  return after;
}

/** Approves a request and starts its fulfilment. */
async function fulfilApproved(
  ctx: WriteContext<typeof RequestApproved | typeof FulfilmentStarted | typeof RequestTaskAdded>,
  before: CatalogRequest,
  approval: CatalogRequest["approval"],
): Promise<CatalogRequest> {
  const at = ctx.now.toISOString();
  const agreed = { ...applyRequestTransition(before, "approve", { at }), approval };
  const after = await save(ctx, before, startFulfilment(agreed, ctx.now));
  emit(ctx, RequestApproved, { ...agreed, updatedAt: at });
  emit(ctx, FulfilmentStarted, after);
  const item = await items.store.get(ctx.tx, after.itemId);
  await beginTasks(ctx, after, item.tasks);
  return after;
}

const fulfilRequest = transition("fulfil", {
  effect: "ordinary",
  aliases: [`POST ${requestKind.path}/{id}/fulfill`],
  summary: "Mark a request as fulfilled",
  description:
    "Only for requests without a run. If required tasks are open, the response is 409 `tasks_open` with the open tasks in `tasks`.",
  body: object({ notes: Type.Optional(Remark) }),
  event: RequestFulfilled,
  fails: [RequestAutomated, TasksOpen],
  example: { notes: "Handed over." },
  async fields(ctx, { id, runId }, { notes = null }) {
    if (runId !== null) throw new Failure(RequestAutomated, { extra: { runId } });
    await assertTasksEnded(ctx, id);
    return { notes };
  },
});

const cancelRequest = transition("cancel", {
  effect: "drastic",
  summary: "Cancel a request that is not fulfilled",
  description:
    "The requester, the recipient and members with `requests:work` can cancel it. The fulfilment run is also cancelled.",
  permission: RequestsSubmit,
  body: object({ reason: Type.Optional(Remark) }),
  event: RequestCancelled,
  fails: [NotYourRequest],
  example: { reason: "I found mine again." },
  authorize({ caller: { principal, permissions } }, request) {
    const isOwn = principal !== undefined && isRequester(request, principal.id);
    if (!isOwn && !permissions.has(RequestsWork.name)) throw new Failure(NotYourRequest);
  },
  async fields(ctx, request, { reason = null }) {
    const approval = await closeApproval(ctx, subjectOf(request), "withdrawn");
    return { reason, ...(approval && { approval: describeApproval(approval) }) };
  },
});

const retryRequest = transition("retry", {
  effect: "ordinary",
  summary: "Retry the fulfilment of a failed request",
  description:
    "Starts a new run of the current workflow of the item. To continue the failed run instead, " +
    "retry that run; the request follows it.",
  event: FulfilmentStarted,
  async fields({ tx, now }, request) {
    const { workflowId } = await items.store.get(tx, request.itemId);
    return { workflowId, runId: newRunId(workflowId, now), reason: null };
  },
});

const rateRequest = command("rate", {
  effect: "ordinary",
  summary: "Rate a fulfilled request",
  description:
    "The recipient can rate a fulfilled request, and change the rating for seven days. If nothing changes, no event is appended.",
  permission: RequestsSubmit,
  body: RatingInput,
  example: { satisfaction: 4 },
  emits: [RequestRated],
  allowNoop: true,
  fails: [requestMachine.wrongState, NotYoursToRate, RatingFixed],
  async run(ctx, before, rating) {
    assertMayRate(ctx.caller, await getTicketIdentity(ctx, requestKind, before.id));
    return rateRequestDone(ctx, before, rating);
  },
});

export async function rateRequestDone(
  ctx: WriteContext<typeof RequestRated>,
  before: CatalogRequest,
  rating: Static<typeof RatingInput>,
): Promise<CatalogRequest> {
  const { state } = before;
  if (state !== "fulfilled") {
    throw invalidTransition(requestMachine, state, `A request in state ${state} can't be rated.`);
  }
  const next = applyRating(before, rating, ctx.now);
  if (next === before) return before;
  const after = await save(ctx, before, next);
  emit(ctx, RequestRated, after);
  return after;
}

export const requestTransitions = [
  rateRequest,
  approveRequest,
  rejectRequest,
  remindApprovers,
  fulfilRequest,
  cancelRequest,
  retryRequest,
];
