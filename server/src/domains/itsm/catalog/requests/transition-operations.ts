import Type from "typebox";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RequestsSubmit, RequestsWork } from "../permissions.ts";
import {
  FulfilmentStarted,
  RequestApproved,
  RequestCancelled,
  RequestFulfilled,
  RequestRejected,
  RequestUpdated,
} from "./events.ts";
import { ByRequest, example } from "./operations.ts";
import {
  AlreadyDecided,
  CatalogRequest,
  NotAnApprover,
  NotYourRequest,
  OwnRequest,
  RequestAutomated,
  requestMachine,
  Words,
} from "./request.ts";
import * as service from "./service.ts";

/** What all actions on a request have in common. */
const action = { params: ByRequest, response: item(CatalogRequest) };

export const approveRequest = command({
  ...action,
  id: "requests.approve",
  route: "POST /api/v1/catalog/requests/{id}/approve",
  summary: "Agree to a request",
  description:
    "By one of those whom its item names or, where it names nobody, with `requests:work`; not by who " +
    "asked for it, or is to have it. Where all must agree, the last one's approval counts.",
  permission: RequestsSubmit,
  body: object({ comment: Type.Optional(Words) }),
  bodyOptional: true,
  emits: [RequestApproved, FulfilmentStarted, RequestUpdated],
  fails: [requestMachine.refusal, OwnRequest, NotAnApprover, AlreadyDecided],
  example: { ...example, body: { comment: "It is in the budget." } },
  run: (ctx, { params, body }) => service.approve(ctx, params.id, body.comment ?? null),
});

export const rejectRequest = command({
  ...action,
  id: "requests.reject",
  route: "POST /api/v1/catalog/requests/{id}/reject",
  summary: "Refuse a request",
  description: "By those who may approve it; one of them is enough.",
  permission: RequestsSubmit,
  body: object({ reason: Words }),
  emits: [RequestRejected],
  fails: [requestMachine.refusal, OwnRequest, NotAnApprover, AlreadyDecided],
  example: { ...example, body: { reason: "There are some in the cupboard." } },
  run: (ctx, { params, body }) => service.reject(ctx, params.id, body.reason),
});

export const fulfilRequest = command({
  ...action,
  id: "requests.fulfil",
  route: "POST /api/v1/catalog/requests/{id}/fulfil",
  aliases: ["POST /api/v1/catalog/requests/{id}/fulfill"],
  summary: "Say that somebody has what they asked for",
  description: "Of a request that no run fulfils.",
  permission: RequestsWork,
  body: object({ notes: Type.Optional(Words) }),
  bodyOptional: true,
  emits: [RequestFulfilled],
  fails: [requestMachine.refusal, RequestAutomated],
  example: { ...example, body: { notes: "Handed over." } },
  run: (ctx, { params, body }) => service.fulfil(ctx, params.id, body.notes ?? null),
});

export const cancelRequest = command({
  ...action,
  id: "requests.cancel",
  route: "POST /api/v1/catalog/requests/{id}/cancel",
  summary: "Take a request back, until it is fulfilled",
  description:
    "By who asked for it, or is to have it, or with `requests:work`. The run that fulfils it is cancelled.",
  permission: RequestsSubmit,
  body: object({ reason: Type.Optional(Words) }),
  bodyOptional: true,
  emits: [RequestCancelled],
  fails: [requestMachine.refusal, NotYourRequest],
  example: { ...example, body: { reason: "I found mine again." } },
  run: (ctx, { params, body }) => service.cancel(ctx, params.id, body.reason ?? null),
});

export const retryRequest = command({
  ...action,
  id: "requests.retry",
  route: "POST /api/v1/catalog/requests/{id}/retry",
  summary: "Try again to fulfil a request that failed",
  description:
    "A new run begins, of the workflow that the item has now. To make the former run go on where it " +
    "failed, retry that: the request follows it.",
  permission: RequestsWork,
  emits: [FulfilmentStarted],
  fails: [requestMachine.refusal],
  example,
  run: (ctx, { params }) => service.retry(ctx, params.id),
});
