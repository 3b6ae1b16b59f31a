import Type, { type Static } from "typebox";
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
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
import {
  addDecision,
  AlreadyDecided,
  applyRequestTransition,
  assertMayDecide,
  type CatalogRequest,
  isApproved,
  isRequester,
  NotAnApprover,
  NotYourRequest,
  OwnRequest,
  Remark,
  RequestAutomated,
  type RequestData,
  requestMachine,
} from "./request.ts";
import { beginTasks, newRunId, startFulfilment } from "./service.ts";

const { command, transition, save, saveChanges, emit } = requestCommands;

const approveRequest = command("approve", {
  effect: "drastic",
  summary: "Agree to a request",
  description:
    "By one of those whom its item names or, where it names nobody, with `requests:work`; not by who " +
    "asked for it, or is to have it. Where all must agree, the last one's approval counts.",
  permission: RequestsSubmit,
  body: object({ comment: Type.Optional(Remark) }),
  emits: [RequestApproved, FulfilmentStarted, RequestUpdated, RequestTaskAdded],
  fails: [requestMachine.wrongState, OwnRequest, NotAnApprover, AlreadyDecided],
  example: { comment: "It is in the budget." },
  async run(ctx, before, { comment = null }) {
    const at = ctx.now.toISOString();
    nextState(requestMachine, before.state, "approve");
    const approvers = await findPresentApprovers(ctx, before);
    const userId = assertMayDecide(before, ctx.caller, approvers);
    const decided = addDecision(before, { userId, approved: true, comment, at });
    if (!isApproved(decided, approvers)) return saveChanges(ctx, before, decided, RequestUpdated);
    return fulfilApproved(ctx, before, decided.approval);
  },
});

const rejectRequest = transition("reject", {
  effect: "drastic",
  summary: "Refuse a request",
  description: "By those who may approve it; one of them is enough.",
  permission: RequestsSubmit,
  body: object({ reason: Remark }),
  event: RequestRejected,
  fails: [OwnRequest, NotAnApprover, AlreadyDecided],
  example: { reason: "There are some in the cupboard." },
  async fields(ctx, request, { reason }) {
    const approvers = await findPresentApprovers(ctx, request);
    const userId = assertMayDecide(request, ctx.caller, approvers);
    const at = ctx.now.toISOString();
    const { approval } = addDecision(request, { userId, approved: false, comment: reason, at });
    return { reason, approval };
  },
});

/**
 * Looks at the approvers of a waiting request again. Where those who are left have agreed it is fulfilled;
 * where nobody is left and nobody has decided, those who work on requests are asked.
 */
export async function recountApproval(
  ctx: WriteContext<
    | typeof RequestApproved
    | typeof FulfilmentStarted
    | typeof ApprovalRequested
    | typeof RequestTaskAdded
  >,
  before: CatalogRequest,
): Promise<void> {
  const approvers = await findPresentApprovers(ctx, before);
  const { decisions } = before.approval;
  if (decisions.length === 0 && approvers.size > 0) return;
  if (decisions.length === 0) {
    const approval = { ...before.approval, approverIds: [] };
    emit(ctx, ApprovalRequested, await save(ctx, before, { ...before, approval }));
  } else if (isApproved(before, approvers)) {
    await fulfilApproved(ctx, before, before.approval);
  }
}

/** Approves a request and begins to fulfil it. */
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

/** Finds the approvers of a request who are still members. */
async function findPresentApprovers(
  { tx }: Pick<ReadContext, "tx">,
  { approval: { approverIds } }: RequestData,
): Promise<ReadonlySet<string>> {
  const members = approverIds.length > 0 ? await findMembersByIds(tx, approverIds) : [];
  return new Set(members.map(({ id }) => id));
}

const fulfilRequest = transition("fulfil", {
  effect: "ordinary",
  aliases: [`POST ${requestKind.path}/{id}/fulfill`],
  summary: "Say that somebody has what they asked for",
  description:
    "Of a request that no run fulfils. Where a required task is open: 409 `tasks_open`, with those in `tasks`.",
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
  summary: "Take a request back, until it is fulfilled",
  description:
    "By who asked for it, or is to have it, or with `requests:work`. The run that fulfils it is cancelled.",
  permission: RequestsSubmit,
  body: object({ reason: Type.Optional(Remark) }),
  event: RequestCancelled,
  fails: [NotYourRequest],
  example: { reason: "I found mine again." },
  authorize({ caller: { principal, permissions } }, request) {
    const isOwn = principal !== undefined && isRequester(request, principal.id);
    if (!isOwn && !permissions.has(RequestsWork.name)) throw new Failure(NotYourRequest);
  },
  fields: (_ctx, _request, { reason = null }) => ({ reason }),
});

const retryRequest = transition("retry", {
  effect: "ordinary",
  summary: "Try again to fulfil a request that failed",
  description:
    "A new run begins, of the workflow that the item has now. To make the former run go on where it " +
    "failed, retry that: the request follows it.",
  event: FulfilmentStarted,
  async fields({ tx, now }, request) {
    const { workflowId } = await items.store.get(tx, request.itemId);
    return { workflowId, runId: newRunId(workflowId, now), reason: null };
  },
});

const rateRequest = command("rate", {
  effect: "ordinary",
  summary: "Say how content you are with what you asked for",
  description:
    "By whoever it was for, once it is fulfilled. It can be changed for seven days. What says nothing new is no event.",
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

/** Rates a request that is fulfilled. */
export async function rateRequestDone(
  ctx: WriteContext<typeof RequestRated>,
  before: CatalogRequest,
  rating: Static<typeof RatingInput>,
): Promise<CatalogRequest> {
  const { state } = before;
  if (state !== "fulfilled") {
    throw invalidTransition(requestMachine, state, `What is ${state} is not rated.`);
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
  fulfilRequest,
  cancelRequest,
  retryRequest,
];
