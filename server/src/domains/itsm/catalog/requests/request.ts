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
  description: "What was filled into the form of the item",
});
export const Remark = line(TEXT_CHARACTERS_MAX);

/** The request fields that agents set. */
export const requestFields = {
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
    ...requestFields,
    ...OptionalLabels,
    approval: RequestApproval,
    workflowId: nullable(Type.String({ description: "What fulfils it; null: somebody, by hand" })),
    runId: nullable(
      Type.String({ description: "The run that fulfils it, which may take a moment to begin" }),
    ),
    output: Type.Unknown({ description: "What that run gave" }),
    reason: nullable(Type.String({ description: "Why it was rejected or cancelled, or failed" })),
    notes: nullable(Type.String({ description: "Of whoever fulfilled it by hand" })),
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
export const RemindedRecently = failure(
  "approvers_reminded",
  409,
  "The approvers were asked or reminded in the last 24 hours.",
);
export const RequestAutomated = failure(
  "request_automated",
  409,
  "A run fulfils this request; it is not fulfilled by hand.",
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
