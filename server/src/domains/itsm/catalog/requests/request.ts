/** The request model (pure functions). */
import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import {
  nextState,
  ratingFields,
  OptionalLabels,
  stateMachine,
  type TransitionContext,
} from "../../tickets/index.ts";
import { ItemId } from "../items/item.ts";
import { RequestsRead, RequestsWork } from "../permissions.ts";
import { RequestApproval } from "./request-approval.ts";

const TEXT_CHARACTERS_MAX = 10_000;
const ITEMS_MAX = 100;

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
  // A failed request can be retried.
  finalStates: ["rejected", "fulfilled", "failed", "cancelled"],
  transitions: [
    { action: "request_approval", from: ["submitted"], to: "awaiting_approval", automatic: true },
    // No approval is required.
    { action: "pass", from: ["submitted"], to: "approved", automatic: true },
    { action: "approve", from: ["awaiting_approval"], to: "approved" },
    { action: "reject", from: ["awaiting_approval"], to: "rejected" },
    { action: "start", from: ["approved"], to: "fulfilling", automatic: true },
    { action: "fulfil", from: ["fulfilling"], to: "fulfilled" },
    { action: "fail", from: ["fulfilling"], to: "failed", automatic: true },
    { action: "retry", from: ["failed"], to: "fulfilling" },
    {
      action: "cancel",
      from: ["submitted", "awaiting_approval", "approved", "fulfilling"],
      to: "cancelled",
    },
  ],
});
type Action = (typeof requestMachine.transitions)[number]["action"];

export const Values = Type.Record(Type.String(), Type.Unknown(), {
  description: "The answers to the form of the item",
});
export const Remark = line(TEXT_CHARACTERS_MAX);

/** The request fields that agents set. */
export const requestFields = {
  assigneeId: nullable(id("usr", "The assigned member")),
  teamId: nullable(id("tem", "The assigned team")),
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    uniqueItems: true,
    description: "The affected configuration items",
  }),
};

export const Description = text(TEXT_CHARACTERS_MAX, "Additional information");

export const CatalogRequest = Type.Object(
  {
    id: id("req"),
    number: Type.String(),
    itemId: ItemId,
    title: Type.String({ description: "The name of the item when it was requested" }),
    description: Description,
    state: Type.Enum([...requestMachine.states]),
    values: Values,
    requestedFor: Type.String({ description: "The member who receives the item" }),
    ...requestFields,
    ...OptionalLabels,
    approval: RequestApproval,
    workflowId: nullable(
      Type.String({
        description: "The workflow that fulfils the request. Null for manual fulfilment",
      }),
    ),
    runId: nullable(
      Type.String({ description: "The run that fulfils the request. Null until it is created" }),
    ),
    output: Type.Unknown({ description: "The output of the run" }),
    reason: nullable(
      Type.String({ description: "Reason of a rejection, cancellation or failure" }),
    ),
    notes: nullable(Type.String({ description: "Notes of the member who fulfilled the request" })),
    ...ratingFields,
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

export const OwnRequest = failure(
  "own_request",
  403,
  "You can't approve or reject your own request.",
);
export const NotAnApprover = failure(
  "not_a_request_approver",
  403,
  "You are not an approver of this request.",
);
export const NotYourRequest = failure(
  "not_your_request",
  403,
  "Only the requester, the recipient and members with `requests:work` can cancel this request.",
);
export const AlreadyDecided = failure(
  "request_already_decided",
  409,
  "You have already decided on this request.",
);
export const RemindedRecently = failure(
  "approvers_reminded",
  409,
  "The approvers were notified or reminded in the last 24 hours. Try again later.",
);
export const RequestAutomated = failure(
  "request_automated",
  409,
  "This request is fulfilled by a run. It can't be fulfilled manually.",
);

export function requestEventData({ revision: _, ...data }: CatalogRequest): RequestData {
  return data;
}

/** The request after an action. Throws if its state does not allow the action. */
export function applyRequestTransition(
  request: CatalogRequest,
  action: Action,
  { at }: Pick<TransitionContext, "at">,
  fields: Partial<CatalogRequest> = {},
): CatalogRequest {
  const state = nextState(requestMachine, request.state, action);
  const isFinal = requestMachine.finalStates.includes(state);
  return {
    ...request,
    ...fields,
    state,
    ...(state === "approved" && { approvedAt: at }),
    endedAt: isFinal ? at : null,
  };
}

/** True for the requester, and for the recipient of the request. */
export function isRequester(
  { createdBy, requestedFor }: Pick<RequestData, "createdBy" | "requestedFor">,
  userId: string,
): boolean {
  return userId === createdBy || userId === requestedFor;
}

/** The people who see a request without further permissions. */
interface RequestParties {
  readonly createdBy: string;
  readonly requestedFor?: string;
  readonly approverIds?: readonly string[];
  readonly watcherIds?: readonly string[];
}

/** True if a member sees a request; without a request, true if the member sees all. */
export function canSeeRequests(
  { permissions, principal }: Pick<Caller, "permissions" | "principal">,
  request?: RequestParties,
): boolean {
  if (permissions.has(RequestsRead.name) || permissions.has(RequestsWork.name)) return true;
  if (!principal || !request) return false;
  const { createdBy, requestedFor, approverIds = [], watcherIds = [] } = request;
  return [createdBy, requestedFor, ...approverIds, ...watcherIds].includes(principal.id);
}
