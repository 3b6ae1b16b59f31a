import Type from "typebox";
import { ticketRef } from "../../tickets/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { listPage, listQuery, type ListCondition } from "#kernel/list/list.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item } from "#kernel/operation/response.ts";
import { id, object, patch } from "#kernel/schema/schema.ts";
import { ItemId } from "../items/item.ts";
import { RequestsSubmit, RequestsWork } from "../permissions.ts";
import { ApprovalRequested, FulfilmentStarted, RequestCreated, RequestUpdated } from "./events.ts";
import {
  CatalogRequest,
  Description,
  fields,
  canSee,
  requestMachine,
  canSeeAll,
  Values,
} from "./request.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

export const ByRequest = object({ id: ticketRef("request", "req") });
export const example = { params: { id: "REQ0000001" } };

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export const listRequests = query({
  id: "requests.list",
  route: "GET /api/v1/catalog/requests",
  summary: "List requests",
  description:
    "All of them with `requests:read`; otherwise those that the caller asked for, or that are for them.",
  permission: RequestsSubmit,
  query: object({
    ...listQuery,
    state: Type.Optional(Type.Enum([...requestMachine.states])),
    itemId: Type.Optional(ItemId),
    mine: flag("Only those that the caller is to work on"),
    own: flag("Only those that the caller asked for, or that are for them"),
    toApprove: flag("Only those that wait for the caller's approval"),
  }),
  response: countedPage(CatalogRequest),
  run(ctx, { query: { state, itemId, mine, own, toApprove, ...question } }) {
    const { caller } = ctx;
    const me = caller.principal?.id ?? "";
    const narrowed: ListCondition[] = [];
    if (toApprove === true) narrowed.push(awaiting(caller));
    else if (own === true || !canSeeAll(caller)) narrowed.push(ownOf(me));
    if (state !== undefined) narrowed.push((to) => `state = ${to.add(state, "text")}`);
    if (itemId !== undefined) narrowed.push((to) => `item_id = ${to.add(itemId, "text")}`);
    if (mine === true) narrowed.push((to) => `assignee_id = ${to.add(me, "text")}`);
    return listPage(ctx, store.requestList, question, { narrowed, toItem: store.toRequest });
  },
});

function ownOf(me: string): ListCondition {
  return (to) => {
    const place = to.add(me, "text");
    return `created_by = ${place} or requested_for = ${place}`;
  };
}

/** Those on which somebody may decide and has not. */
function awaiting({ principal, permissions }: Caller): ListCondition {
  return (to) => {
    const me = to.add(principal?.id ?? "", "text");
    const unnamed = permissions.has(RequestsWork.name) ? "cardinality(approver_ids) = 0" : "false";
    return `
      state = 'awaiting_approval' and (${me} = any (approver_ids) or ${unnamed})
      and created_by <> ${me} and requested_for <> ${me}
      and not exists (select from jsonb_array_elements(decisions) d where d ->> 'userId' = ${me})`;
  };
}

export const submitRequest = command({
  id: "requests.submit",
  route: "POST /api/v1/catalog/requests",
  summary: "Ask for something",
  description:
    "`values` are compared with the form of the item, and what it has defaults for is filled in. " +
    "Where somebody must agree, those are told; otherwise it is being fulfilled at once.",
  permission: RequestsSubmit,
  body: object({
    itemId: ItemId,
    values: Values,
    requestedFor: Type.Optional(id("usr", "The member who is to have it; the caller unless given")),
    description: Type.Optional(Description),
  }),
  response: created(CatalogRequest, { location: (made) => `/api/v1/catalog/requests/${made.id}` }),
  emits: [RequestCreated, ApprovalRequested, FulfilmentStarted],
  example: { body: { itemId: "cat_01jzt3n5k8q2x4v6w8y0z2b4d6", values: { model: "light" } } },
  prepare: (platform, { body }, caller) => service.prepareSubmit(platform, caller, body),
  run: (ctx, { body }, ready) => service.submit(ctx, body, ready),
});

export const getRequest = query({
  id: "requests.get",
  route: "GET /api/v1/catalog/requests/{id}",
  summary: "Read a request",
  description:
    "Any of them with `requests:read`; otherwise one's own, and those that one is asked to approve.",
  permission: RequestsSubmit,
  params: ByRequest,
  response: item(CatalogRequest),
  example,
  async run({ tx, caller }, { params }) {
    const request = await store.get(tx, params.id);
    if (!canSee(request, caller)) throw new Failure(NotFound);
    return request;
  },
});

export const updateRequest = command({
  id: "requests.update",
  route: "PATCH /api/v1/catalog/requests/{id}",
  summary: "Give a request to a member or a team",
  description: "What changes nothing is no event.",
  permission: RequestsWork,
  params: ByRequest,
  body: patch(fields),
  allowNoop: true,
  response: item(CatalogRequest),
  emits: [RequestUpdated],
  example: { ...example, body: { assigneeId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  run: (ctx, { params, body }) => service.update(ctx, params.id, body),
});
