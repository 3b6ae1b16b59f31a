import Type, { type Static, type TObject } from "typebox";
import {
  assertReferencesExist,
  checkLabels,
  getTicketIdentity,
  labelFields,
  pastTickets,
  readPastTicket,
  takeCommand,
  ticketParams,
  ticketForParty,
  TooManyAttachments,
  talkFields,
  watchedSql,
} from "../../tickets/index.ts";
import { FileAttached, NotAttachable } from "#domains/files/index.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { type ListDefinition, listPage, listQuery, type ListCondition } from "#kernel/list/list.ts";
import {
  asOfListQuery,
  listPastPage,
  NO_REVISION,
  PastTooLong,
  refuseOfPast,
} from "#kernel/list/past-list.ts";
import { diffResource } from "#kernel/log/event.ts";
import { asOfQuery, PastNotKept } from "#kernel/log/past-state.ts";
import { permissionFailure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item, withRevision } from "#kernel/operation/response.ts";
import { id, object, patch } from "#kernel/schema/schema.ts";
import { ItemId } from "../items/item.ts";
import { RequestsRead, RequestsSubmit } from "../permissions.ts";
import { awaitingApprovalBy } from "./awaiting-approval.ts";
import { getRequestAnswers } from "./answers.ts";
import { ApprovalRequested, FulfilmentStarted, RequestCreated, RequestUpdated } from "./events.ts";
import {
  EXAMPLE_REQUEST,
  RequestAttachmentAdded,
  requestCommands,
  requestKind,
  RequestRouted,
  RequestTaskAdded,
} from "./kind.ts";
import {
  canSeeRequests,
  CatalogRequest,
  Description,
  requestEventData,
  requestFields,
  requestMachine,
  Values,
} from "./request.ts";
import * as service from "./service.ts";
import { requestList, requestStore } from "./store.ts";

const { path } = requestKind;

/** Request fields hidden from requesters and approvers. */
const HIDDEN = new Set(
  Object.keys(CatalogRequest.properties).filter((name) => !requestKind.own?.fields?.includes(name)),
);

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const ListedRequest = Type.Object(
  { ...CatalogRequest.properties, ...talkFields },
  { title: "ListedRequest" },
);

const listRequests = query({
  id: "requests.list",
  route: `GET ${path}`,
  summary: "List requests",
  description:
    "Members with `requests:read` see all requests. Other members only see requests with them as creator, " +
    "recipient or watcher.",
  permission: RequestsSubmit,
  query: object({
    ...listQuery,
    ...asOfListQuery,
    state: Type.Optional(Type.Enum([...requestMachine.states])),
    itemId: Type.Optional(ItemId),
    mine: flag("`true`: only requests assigned to the caller"),
    own: flag("`true`: only requests that the caller created or receives"),
    toApprove: flag("`true`: only requests that wait for the caller's approval"),
  }),
  response: countedPage(withRevision(ListedRequest)),
  fails: [PastNotKept, PastTooLong],
  run(ctx, { query: { state, itemId, mine, own, toApprove, asOf, ...page } }) {
    const { caller } = ctx;
    const me = caller.principal?.id ?? "";
    const narrowed: ListCondition[] = [];
    if (toApprove === true) narrowed.push(awaitingApprovalBy(ctx));
    else if (own === true || !canSeeRequests(caller)) narrowed.push(ownOf(me));
    if (state !== undefined) narrowed.push((to) => `state = ${to.add(state, "text")}`);
    if (itemId !== undefined) narrowed.push((to) => `item_id = ${to.add(itemId, "text")}`);
    if (mine === true) narrowed.push((to) => `assignee_id = ${to.add(me, "text")}`);
    // The select list contains collaboration fields in addition to the request fields.
    const toItem = (row: SqlRow) =>
      requestStore.toTicket(row) as CatalogRequest & Static<TObject<typeof talkFields>>;
    if (asOf !== undefined) {
      refuseOfPast({ mine, own, toApprove });
      if (!canSeeRequests(caller)) throw permissionFailure(RequestsRead.name);
      return listPastPage(
        ctx,
        requestList,
        { ...page, asOf },
        {
          past: pastTickets(requestKind),
          conditions: narrowed,
          // Events use the response schema. Comments and SLA clocks have their own history.
          toItem: (past) =>
            ({
              ...past,
              lastPublicComment: null,
              promisedAt: null,
              ...NO_REVISION,
            }) as unknown as ReturnType<typeof toItem>,
        },
      );
    }
    if (canSeeRequests(caller)) {
      return listPage(ctx, requestList, page, { conditions: narrowed, toItem });
    }
    return listPage(ctx, ownList, page, {
      conditions: narrowed,
      toItem: (row) => ticketForParty(requestKind, toItem(row)),
    });
  },
});

/** The caller's own requests. Filters use only visible fields because a filter on a hidden field would reveal it. */
const ownList: ListDefinition = {
  ...requestList,
  name: "own requests",
  fields: Object.fromEntries(
    Object.entries(requestList.fields).filter(
      ([name]) => !HIDDEN.has(name) || name === requestList.tieBreaker,
    ),
  ),
};

function ownOf(me: string): ListCondition {
  return (to) => {
    const person = to.add(me, "text");
    return `created_by = ${person} or requested_for = ${person} or ${watchedSql(person)}`;
  };
}

const submitRequest = command({
  id: "requests.submit",
  effect: "ordinary",
  route: `POST ${path}`,
  summary: "Create a request",
  description:
    "`values` are validated against the form of the item; missing values with a default are filled in. " +
    "For a field with `x-file`, enter the id of an upload or a list of upload ids. The files are attached to the " +
    "request. " +
    "If the item requires approval, the approvers are notified. Otherwise fulfilment starts immediately, with the tasks of the item. Setting `fields` requires " +
    "`requests:work`.",
  permission: RequestsSubmit,
  body: object({
    itemId: ItemId,
    values: Values,
    requestedFor: Type.Optional(id("usr", "The member who receives the item. Default: the caller")),
    description: Type.Optional(Description),
    // Requesters fill in the form. Label fields affect SLA policies and are set by request agents.
    fields: Type.Optional(labelFields.fields),
  }),
  response: created(CatalogRequest, { location: (request) => `${path}/${request.id}` }),
  emits: [
    RequestCreated,
    RequestRouted,
    RequestAttachmentAdded,
    ApprovalRequested,
    FulfilmentStarted,
    RequestTaskAdded,
  ],
  fails: [FileAttached, NotAttachable, TooManyAttachments],
  example: { body: { itemId: "cat_01jzt3n5k8q2x4v6w8y0z2b4d6", values: { model: "light" } } },
  prepare: (platform, { body }, caller) => service.prepareSubmit(platform, caller, body),
  async run(ctx, { body }, prepared) {
    const request = await service.submitRequest(ctx, body, prepared);
    return canSeeRequests(ctx.caller) ? request : ticketForParty(requestKind, request);
  },
});

const getRequest = query({
  id: "requests.get",
  route: `GET ${path}/{id}`,
  summary: "Get a request",
  description:
    "Members with `requests:read` can get all requests. Other members can only get requests with them as creator, " +
    "recipient, watcher or approver.",
  permission: RequestsSubmit,
  params: ticketParams(requestKind),
  query: object(asOfQuery),
  response: item(CatalogRequest),
  fails: [PastNotKept],
  example: { params: { id: EXAMPLE_REQUEST } },
  async run(ctx, { params, query: { asOf } }) {
    const seesAll = canSeeRequests(ctx.caller);
    if (!seesAll) await getTicketIdentity(ctx, requestKind, params.id);
    const present = await requestStore.get(ctx.tx, params.id);
    const request =
      asOf === undefined
        ? present
        : await readPastTicket<typeof present>(ctx, "request", present.id, asOf);
    return seesAll ? request : ticketForParty(requestKind, request);
  },
});

const updateRequest = requestCommands.command("update", {
  effect: "ordinary",
  route: `PATCH ${path}/{id}`,
  summary: "Assign a request to a member or a team",
  description: "If nothing changes, no event is appended.",
  body: patch({ ...requestFields, ...labelFields }),
  allowNoop: true,
  emits: [RequestUpdated],
  example: { assigneeId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" },
  async run(ctx, before, body) {
    const { assigneeId, teamId, ciIds } = body;
    const labels = await checkLabels(ctx, "request", body, before);
    const next = { ...before, ...body, ...labels, ...(ciIds && { ciIds: ciIds.toSorted() }) };
    const { changes } = diffResource(requestEventData(before), requestEventData(next));
    if (changes.length === 0) return before;
    await assertReferencesExist(ctx, { users: { "/assigneeId": assigneeId }, teamId, ciIds });
    return requestCommands.saveChanges(ctx, before, next, RequestUpdated);
  },
});

const takeRequest = takeCommand(requestKind, requestCommands, {
  emits: [RequestUpdated],
  assign: (ctx, request, assigneeId) =>
    requestCommands.saveChanges(ctx, request, { ...request, assigneeId }, RequestUpdated),
});

export const requestOperations = [
  listRequests,
  submitRequest,
  getRequest,
  getRequestAnswers,
  updateRequest,
  takeRequest,
];
