/** What somebody asked for, and how that lives. Nothing here reads or writes. */
import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { stateMachine, nextState, type TicketKind } from "../../tickets/index.ts";
import { Approval, ItemId } from "../items/item.ts";
import { RequestsRead, RequestsSubmit, RequestsWork } from "../permissions.ts";
import { requestList, summariesOf } from "./store.ts";

const TEXT_CHARACTERS_MAX = 10_000;
const ITEMS_MAX = 100;

/** How a request lives. */
export const requestMachine = stateMachine({
  kind: "request",
  states: [
    "submitted",
    "awaiting_approval",
    "approved",
    "rejected",
    "fulfilling",
    "fulfilled",
    "failed",
    "cancelled",
  ],
  // One that failed may be tried again.
  finalStates: ["rejected", "fulfilled", "failed", "cancelled"],
  moves: [
    { action: "request_approval", from: ["submitted"], to: "awaiting_approval" },
    // Nobody needs to agree.
    { action: "pass", from: ["submitted"], to: "approved" },
    { action: "approve", from: ["awaiting_approval"], to: "approved" },
    { action: "reject", from: ["awaiting_approval"], to: "rejected" },
    { action: "start", from: ["approved"], to: "fulfilling" },
    { action: "fulfil", from: ["fulfilling"], to: "fulfilled" },
    { action: "fail", from: ["fulfilling"], to: "failed" },
    { action: "retry", from: ["failed"], to: "fulfilling" },
    {
      action: "cancel",
      from: ["submitted", "awaiting_approval", "approved", "fulfilling"],
      to: "cancelled",
    },
  ],
});
type Action = (typeof requestMachine.moves)[number]["action"];

const Decision = Type.Object(
  {
    userId: Type.String(),
    approved: Type.Boolean(),
    comment: nullable(Type.String()),
    at: Time,
  },
  { title: "RequestDecision" },
);
export type Decision = Static<typeof Decision>;

export const Values = Type.Record(Type.String(), Type.Unknown(), {
  description: "What was filled into the form of the item",
});
export const Words = line(TEXT_CHARACTERS_MAX);

/** What those who work on a request say about it. */
export const fields = {
  assigneeId: nullable(id("usr", "The member who works on it")),
  teamId: nullable(id("tem", "The team that works on it")),
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    uniqueItems: true,
    description: "The configuration items that it is about",
  }),
};

export const Description = text(TEXT_CHARACTERS_MAX, "What the form has no place for");

export const CatalogRequest = Type.Object(
  {
    id: id("req"),
    number: Type.String(),
    itemId: ItemId,
    title: Type.String({ description: "The name that the item had" }),
    description: Description,
    state: Type.Enum([...requestMachine.states]),
    values: Values,
    requestedFor: Type.String({ description: "The member who is to have it" }),
    ...fields,
    approval: Type.Object({ ...Approval.properties, decisions: Type.Array(Decision) }),
    workflowId: nullable(Type.String({ description: "What fulfils it; null: somebody, by hand" })),
    runId: nullable(
      Type.String({ description: "The run that fulfils it, which may take a moment to begin" }),
    ),
    output: Type.Unknown({ description: "What that run gave" }),
    reason: nullable(Type.String({ description: "Why it was rejected or cancelled, or failed" })),
    notes: nullable(Type.String({ description: "Of whoever fulfilled it by hand" })),
    approvedAt: nullable(Time),
    endedAt: nullable(Time),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "CatalogRequest" },
);
export type RequestData = Static<typeof CatalogRequest>;
export type CatalogRequest = RequestData & { readonly revision: number };

export const OwnRequest = failure("own_request", 403, "Nobody decides on their own request.");
export const NotAnApprover = failure(
  "not_a_request_approver",
  403,
  "Others than you are asked to approve this request.",
);
export const NotYourRequest = failure(
  "not_your_request",
  403,
  "Only who asked for it, or works on requests, cancels a request.",
);
export const AlreadyDecided = failure(
  "request_already_decided",
  409,
  "You have decided on this request before.",
);
export const RequestAutomated = failure(
  "request_automated",
  409,
  "A run fulfils this request; it is not fulfilled by hand.",
);

/** What an action says beside the state that it leads to. */
export type Said = Partial<
  Pick<RequestData, "reason" | "notes" | "output" | "runId" | "workflowId">
>;

/** The request after an action; throws where its state does not allow that. */
export function applyTransition(
  request: CatalogRequest,
  action: Action,
  now: Date,
  said: Said = {},
): CatalogRequest {
  const state = nextState(requestMachine, request.state, action);
  const at = now.toISOString();
  const hasEnded = requestMachine.finalStates.includes(state);
  return {
    ...request,
    ...said,
    state,
    ...(state === "approved" && { approvedAt: at }),
    endedAt: hasEnded ? at : null,
    updatedAt: at,
  };
}

/** Whose request it is: who asked, and for whom. */
export function isRequester(
  { createdBy, requestedFor }: Pick<RequestData, "createdBy" | "requestedFor">,
  userId: string,
): boolean {
  return userId === createdBy || userId === requestedFor;
}

/** Whose a request is, and who is asked to approve it. */
interface Parties {
  readonly createdBy: string;
  readonly requestedFor?: string;
  readonly approverIds?: readonly string[];
}

/** Whether somebody may know of a request; without one, of all. */
export function canSeeAll(
  { permissions, principal }: Pick<Caller, "permissions" | "principal">,
  request?: Parties,
): boolean {
  if (permissions.has(RequestsRead.name) || permissions.has(RequestsWork.name)) return true;
  if (!principal || !request) return false;
  const { createdBy, requestedFor, approverIds = [] } = request;
  return [createdBy, requestedFor, ...approverIds].includes(principal.id);
}

/** Whether somebody may know of this request. */
export function canSee(request: RequestData, caller: Caller): boolean {
  return canSeeAll(caller, { ...request, approverIds: request.approval.approverIds });
}

/** Throws unless somebody may decide on a request; `present` are those of its approvers who are still members. */
export function assertMayDecide(
  { approval: { decisions }, ...request }: RequestData,
  { permissions, principal }: Caller,
  present: ReadonlySet<string>,
): string {
  if (!principal) throw new Failure(NotAnApprover);
  if (isRequester(request, principal.id)) throw new Failure(OwnRequest);
  const isAsked =
    present.size === 0 ? permissions.has(RequestsWork.name) : present.has(principal.id);
  if (!isAsked) throw new Failure(NotAnApprover);
  if (decisions.some(({ userId }) => userId === principal.id)) throw new Failure(AlreadyDecided);
  return principal.id;
}

/** The request with one more approval; whether that is enough depends on who is still there to ask. */
export function withApproval(
  request: CatalogRequest,
  decision: Decision,
  present: ReadonlySet<string>,
): { readonly request: CatalogRequest; readonly enough: boolean } {
  const { approval } = request;
  const decisions = [...approval.decisions, decision];
  const agreed = new Set(decisions.map(({ userId }) => userId));
  const missing = approval.approverIds.filter((id) => present.has(id) && !agreed.has(id));
  const enough = approval.rule === "any" || missing.length === 0;
  const updatedAt = decision.at;
  return { request: { ...request, approval: { ...approval, decisions }, updatedAt }, enough };
}

/** Requests, as what all tickets have in common knows them. */
export const requestKind: TicketKind = {
  kind: "request",
  plural: "requests",
  prefix: "req",
  path: "/api/v1/catalog/requests",
  table: "catalog_requests",
  machine: requestMachine,
  read: RequestsSubmit,
  write: RequestsWork,
  reported: { list: requestList, permission: RequestsRead },
  comment: RequestsSubmit,
  sees: canSeeAll,
  summariesOf,
};
