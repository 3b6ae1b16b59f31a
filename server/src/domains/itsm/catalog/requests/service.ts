import {
  assertReferencesExist,
  UNRATED,
  checkLabels,
  addTicketAttachment,
  instantiatePlan,
  nextTicketNumber,
  type TicketNumber,
} from "../../tickets/index.ts";
import { type ApprovalRecord, openApproval } from "#domains/approvals/index.ts";
import { authorOf, type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { FormValues } from "../form/check-values.ts";
import { assertFileValues, collectFileValues } from "../form/file-fields.ts";
import { validateValues } from "../form/validate-values.ts";
import { canSeeItem, type Item } from "../items/item.ts";
import { items } from "../items/item-resource.ts";
import { ApprovalRequested, FulfilmentStarted, RequestCreated } from "./events.ts";
import {
  RequestAttachmentAdded,
  requestCommands,
  requestKind,
  type RequestRouted,
  type RequestTaskAdded,
} from "./kind.ts";
import { emitRouting, routeTicket } from "../../assignment/index.ts";
import { applyRequestTransition, type CatalogRequest } from "./request.ts";
import { describeApproval, stepsOf } from "./request-approval.ts";
import { requestStore } from "./store.ts";
import { RequestsWork } from "../permissions.ts";

const { emit } = requestCommands;

export interface RequestInput {
  readonly itemId: string;
  readonly values: FormValues;
  readonly requestedFor?: string;
  readonly description?: string;
  readonly fields?: Record<string, unknown>;
}

/** The item of a request, and values validated against its form. */
export interface PreparedRequest {
  readonly item: Item;
  readonly values: FormValues;
  /** The files among the values. */
  readonly fileIds: readonly string[];
  readonly number: TicketNumber;
}

/** Reads the item and validates the values before a transaction is open. */
export async function prepareSubmit(
  platform: Platform,
  caller: Caller,
  { itemId, values }: RequestInput,
): Promise<PreparedRequest> {
  const partition = partitionOfCaller(caller);
  const item = await platform.db.read(partition, (tx) => findActiveItem(tx, itemId, "/itemId"));
  if (!canSeeItem(caller, item)) throw invalidField("/itemId", "is not the id of an active item");
  const checked = await validateValues(partition.workspace, item.form, values);
  const files = collectFileValues(item.form, checked);
  if (files.length > 0) {
    await platform.db.read(partition, (tx) => assertFileValues(tx, caller, files));
  }
  return {
    item,
    values: checked,
    fileIds: files.map(({ fileId }) => fileId),
    number: await nextTicketNumber(platform, caller, "request"),
  };
}

/** The active item. Throws 422 with the path if it does not exist. */
export async function findActiveItem(tx: Tx, itemId: string, path: string): Promise<Item> {
  const item = await items.store.find(tx, itemId);
  if (item?.status !== "active") throw invalidField(path, "is not the id of an active item");
  return item;
}

export async function submitRequest(
  ctx: WriteContext<
    | typeof RequestCreated
    | typeof ApprovalRequested
    | typeof FulfilmentStarted
    | typeof RequestAttachmentAdded
    | typeof RequestRouted
    | typeof RequestTaskAdded
  >,
  { requestedFor, description = "", fields }: RequestInput,
  { item, values, fileIds, number }: PreparedRequest,
): Promise<CatalogRequest> {
  if (fields && !ctx.caller.permissions.has(requestKind.write.name)) {
    throw invalidField("/fields", `needs the permission ${requestKind.write.name}`);
  }
  const [labels] = await Promise.all([
    checkLabels(ctx, "request", { ...(fields && { fields }) }),
    assertReferencesExist(ctx, { users: { "/requestedFor": requestedFor } }),
  ]);
  const createdBy = authorOf(ctx.caller);
  const at = ctx.now.toISOString();
  const draft: CatalogRequest = {
    id: newId("req", ctx.now.getTime()),
    number: number.number,
    itemId: item.id,
    title: item.name,
    description,
    state: "submitted",
    values,
    requestedFor: requestedFor ?? createdBy,
    assigneeId: null,
    teamId: null,
    ciIds: [],
    ...labels,
    approval: describeApproval(undefined),
    workflowId: item.workflowId,
    runId: null,
    output: null,
    reason: null,
    notes: null,
    approvedAt: null,
    endedAt: null,
    ...UNRATED,
    createdBy,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  const routing = await routeTicket(ctx, requestKind, "created", draft);
  const approval = item.approval.required ? await openRequest(ctx, draft, item) : undefined;
  const submitted = { ...draft, ...routing?.fields, approval: describeApproval(approval) };
  emit(ctx, RequestCreated, submitted);
  emitRouting(ctx, requestKind, submitted, routing);
  const next = approval
    ? applyRequestTransition(submitted, "request_approval", { at })
    : startFulfilment(applyRequestTransition(submitted, "pass", { at }), ctx.now);
  await requestStore.insert(ctx, next, number);
  const ticket = { ...next, kind: "request" as const };
  for (const fileId of fileIds) {
    await addTicketAttachment(ctx, { kind: requestKind, ticket }, { fileId });
  }
  emit(ctx, next.state === "fulfilling" ? FulfilmentStarted : ApprovalRequested, next);
  if (next.state === "fulfilling") await beginTasks(ctx, next, item.tasks);
  return next;
}

/** Adds the tasks of the item when fulfilment starts. */
export async function beginTasks(
  ctx: WriteContext<typeof RequestTaskAdded>,
  request: CatalogRequest,
  tasks: Item["tasks"],
): Promise<void> {
  const ticket = { ...request, kind: "request" as const };
  await instantiatePlan(ctx, { kind: requestKind, ticket }, tasks);
}

/** Opens the approval of a new request as configured in its item. */
function openRequest(
  ctx: WriteContext<never>,
  { id, createdBy, requestedFor }: CatalogRequest,
  item: Item,
): Promise<ApprovalRecord> {
  const { expiresAfterHours, remindAfterHours } = item.approval;
  return openApproval(
    ctx,
    { kind: "request", id },
    {
      requesterIds: [createdBy, requestedFor],
      managedId: requestedFor,
      fallback: RequestsWork,
      steps: stepsOf(item.approval),
      expiresAfterHours,
      remindAfterHours,
    },
  );
}

/** Names the run that will fulfil an approved request. The reader of the event starts the run. */
export function startFulfilment(approved: CatalogRequest, now: Date): CatalogRequest {
  const runId = newRunId(approved.workflowId, now);
  return applyRequestTransition(approved, "start", { at: now.toISOString() }, { runId });
}

/** Null if no workflow fulfils the request. */
export function newRunId(workflowId: string | null, now: Date): string | null {
  return workflowId === null ? null : newId("run", now.getTime());
}
