import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import {
  assertReferencesExist,
  authorOf,
  ticketRefOf,
  setItems,
  nextTicketNumber,
  type TicketNumber,
} from "../../tickets/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { checkedValues, type Values } from "../form/check-values.ts";
import type { Item } from "../items/item.ts";
import * as items from "../items/store.ts";
import { RequestsWork } from "../permissions.ts";
import {
  ApprovalRequested,
  FulfilmentStarted,
  RequestApproved,
  RequestCancelled,
  RequestCreated,
  RequestFulfilled,
  RequestRejected,
  RequestUpdated,
} from "./events.ts";
import {
  applyTransition,
  assertMayDecide,
  type CatalogRequest,
  isRequester,
  canSee,
  NotYourRequest,
  RequestAutomated,
  type RequestData,
  withApproval,
} from "./request.ts";
import * as store from "./store.ts";

/** What somebody asks for. */
export interface Asked {
  readonly itemId: string;
  readonly values: Values;
  readonly requestedFor?: string;
  readonly description?: string;
}

/** What a request is made of, once it was found to fit the form. */
export interface Ready {
  readonly item: Item;
  readonly values: Values;
  readonly number: TicketNumber;
}

/** Reads the item and compares the values with its form, before a transaction is open. */
export async function prepareSubmit(
  platform: Platform,
  caller: Caller,
  { itemId, values }: Asked,
): Promise<Ready> {
  const { workspace, environment } = caller;
  if (!workspace) throw new Error("A request belongs to a workspace.");
  const partition = { workspace: workspace.key, environment };
  const item = await platform.db.read(partition, (tx) => items.find(tx, itemId));
  if (item?.status !== "active") throw invalidField("/itemId", "is not the id of an active item");
  const checked = checkedValues(item.form, values);
  return { item, values: checked, number: await nextTicketNumber(platform, caller, "request") };
}

type Submitting = WriteContext<
  typeof RequestCreated | typeof ApprovalRequested | typeof FulfilmentStarted
>;

export async function submit(
  ctx: Submitting,
  { requestedFor, description = "" }: Asked,
  { item, values, number: { no, number } }: Ready,
): Promise<CatalogRequest> {
  await assertReferencesExist(ctx, { users: { "/requestedFor": requestedFor } });
  const createdBy = authorOf(ctx.caller);
  const at = ctx.now.toISOString();
  const submitted: CatalogRequest = {
    id: newId("req", ctx.now.getTime()),
    number,
    itemId: item.id,
    title: item.name,
    description,
    state: "submitted",
    values,
    requestedFor: requestedFor ?? createdBy,
    assigneeId: null,
    teamId: null,
    ciIds: [],
    approval: { ...item.approval, decisions: [] },
    workflowId: item.workflowId,
    runId: null,
    output: null,
    reason: null,
    notes: null,
    approvedAt: null,
    endedAt: null,
    createdBy,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  ctx.emit(RequestCreated, refer(submitted), dataOf(submitted));
  const next = item.approval.required
    ? applyTransition(withOthers(submitted), "request_approval", ctx.now)
    : started(applyTransition(submitted, "pass", ctx.now), ctx.now);
  store.insert(ctx, next, no);
  if (next.state === "fulfilling") ctx.emit(FulfilmentStarted, refer(next), dataOf(next));
  else ctx.emit(ApprovalRequested, refer(next), dataOf(next));
  return next;
}

/** Nobody decides on their own request, so that whose it is is not asked. */
function withOthers(request: CatalogRequest): CatalogRequest {
  const approverIds = request.approval.approverIds.filter((id) => !isRequester(request, id));
  return { ...request, approval: { ...request.approval, approverIds } };
}

/** The run that is to fulfil it is named before there is one: the log leads to its beginning. */
function started(approved: CatalogRequest, now: Date): CatalogRequest {
  return applyTransition(approved, "start", now, { runId: runFor(approved, now) });
}

function runFor({ workflowId }: RequestData, now: Date): string | null {
  return workflowId === null ? null : newId("run", now.getTime());
}

type Approving = WriteContext<
  typeof RequestApproved | typeof FulfilmentStarted | typeof RequestUpdated
>;

export async function approve(
  ctx: Approving,
  ref: string,
  comment: string | null,
): Promise<CatalogRequest> {
  const before = await lockSeen(ctx, ref);
  const approved = applyTransition(before, "approve", ctx.now);
  const present = await presentOf(ctx, before);
  const userId = assertMayDecide(before, ctx.caller, present);
  const decision = { userId, approved: true, comment, at: ctx.now.toISOString() };
  const given = withApproval(before, decision, present);
  if (!given.enough) {
    const after = written(ctx, given.request);
    ctx.emit(RequestUpdated, refer(after), diffResource(dataOf(before), dataOf(after)));
    return after;
  }
  const { approval } = given.request;
  const agreed = { ...approved, approval };
  const after = written(ctx, started(agreed, ctx.now));
  ctx.emit(RequestApproved, refer(after), dataOf(agreed));
  ctx.emit(FulfilmentStarted, refer(after), dataOf(after));
  return after;
}

/** Those who are to agree, as far as they are still members. */
async function presentOf(
  { tx }: WriteContext<never>,
  { approval: { approverIds } }: RequestData,
): Promise<ReadonlySet<string>> {
  const members = approverIds.length > 0 ? await findMembersByIds(tx, approverIds) : [];
  return new Set(members.map(({ id }) => id));
}

export async function reject(
  ctx: WriteContext<typeof RequestRejected>,
  ref: string,
  reason: string,
): Promise<CatalogRequest> {
  const before = await lockSeen(ctx, ref);
  const rejected = applyTransition(before, "reject", ctx.now, { reason });
  const userId = assertMayDecide(before, ctx.caller, await presentOf(ctx, before));
  const decision = { userId, approved: false, comment: reason, at: ctx.now.toISOString() };
  const decisions = [...before.approval.decisions, decision];
  const after = written(ctx, { ...rejected, approval: { ...before.approval, decisions } });
  ctx.emit(RequestRejected, refer(after), dataOf(after));
  return after;
}

export async function fulfil(
  ctx: WriteContext<typeof RequestFulfilled>,
  ref: string,
  notes: string | null,
): Promise<CatalogRequest> {
  const before = await lockSeen(ctx, ref);
  const fulfilled = applyTransition(before, "fulfil", ctx.now, { notes });
  if (before.runId !== null)
    throw new Failure(RequestAutomated, { extra: { runId: before.runId } });
  const after = written(ctx, fulfilled);
  ctx.emit(RequestFulfilled, refer(after), dataOf(after));
  return after;
}

export async function cancel(
  ctx: WriteContext<typeof RequestCancelled>,
  ref: string,
  reason: string | null,
): Promise<CatalogRequest> {
  const before = await lockSeen(ctx, ref);
  const { principal, permissions } = ctx.caller;
  const isTheirs = principal !== undefined && isRequester(before, principal.id);
  if (!isTheirs && !permissions.has(RequestsWork.name)) throw new Failure(NotYourRequest);
  const after = written(ctx, applyTransition(before, "cancel", ctx.now, { reason }));
  ctx.emit(RequestCancelled, refer(after), dataOf(after));
  return after;
}

/** Tries again what failed, as the item has it now: its workflow may be another one. */
export async function retry(
  ctx: WriteContext<typeof FulfilmentStarted>,
  ref: string,
): Promise<CatalogRequest> {
  const before = await lockSeen(ctx, ref);
  const { workflowId } = await items.get(ctx.tx, before.itemId);
  const runId = runFor({ ...before, workflowId }, ctx.now);
  const again = applyTransition(before, "retry", ctx.now, { workflowId, runId, reason: null });
  const after = written(ctx, again);
  ctx.emit(FulfilmentStarted, refer(after), dataOf(after));
  return after;
}

/** Gives a request to somebody. Nothing new is no change. */
export async function update(
  ctx: WriteContext<typeof RequestUpdated>,
  ref: string,
  change: Partial<Pick<RequestData, "assigneeId" | "teamId" | "ciIds">>,
): Promise<CatalogRequest> {
  const before = await lockSeen(ctx, ref);
  const { assigneeId, teamId, ciIds } = change;
  const edited = { ...before, ...change, ...(ciIds && { ciIds: ciIds.toSorted() }) };
  const { changes } = diffResource(dataOf(before), dataOf(edited));
  if (changes.length === 0) return before;
  await assertReferencesExist(ctx, { users: { "/assigneeId": assigneeId }, teamId, ciIds });
  if (ciIds) await setItems(ctx.tx, { kind: "request", id: before.id }, ciIds);
  const after = written(ctx, { ...edited, updatedAt: ctx.now.toISOString() });
  ctx.emit(RequestUpdated, refer(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

/** Another's request is as good as none for who may not know of it. */
async function lockSeen(ctx: WriteContext<never>, ref: string): Promise<CatalogRequest> {
  const request = await store.lock(ctx.tx, ref);
  if (!canSee(request, ctx.caller)) throw new Failure(NotFound);
  ctx.expectRevision(request.revision);
  return request;
}

/** Writes a request that was changed once more. */
export function written(ctx: WriteContext<never>, request: CatalogRequest): CatalogRequest {
  const after = { ...request, revision: request.revision + 1 };
  store.update(ctx, after);
  return after;
}

/** How events name a request. */
export function refer(request: CatalogRequest) {
  return ticketRefOf({ ...request, kind: "request" });
}

/** A request as events tell of it. */
export function dataOf({ revision: _, ...data }: CatalogRequest): RequestData {
  return data;
}
