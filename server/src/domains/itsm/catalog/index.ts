import { collaboration, TicketKindPoint } from "../tickets/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import * as actions from "./requests/transition-operations.ts";
import { askApprovers } from "./requests/notifications.ts";
import { fulfilmentReader } from "./requests/fulfilment.ts";
import * as itemEvents from "./items/events.ts";
import * as items from "./items/operations.ts";
import { requestKind } from "./requests/request.ts";
import { itemContent } from "./items/pack.ts";
import * as permissions from "./permissions.ts";
import * as requestEvents from "./requests/events.ts";
import { getRequest, listRequests, submitRequest, updateRequest } from "./requests/operations.ts";

export { requestKind } from "./requests/request.ts";

const talk = collaboration(requestKind);

export const catalog = domain({
  name: "catalog",
  summary: "What people may ask for, and what became of what they asked for.",
  permissions: Object.values(permissions),
  events: [...Object.values(itemEvents), ...Object.values(requestEvents), ...talk.events],
  operations: [
    items.listItems,
    items.createItem,
    items.getItem,
    items.updateItem,
    items.retireItem,
    listRequests,
    submitRequest,
    getRequest,
    updateRequest,
    actions.approveRequest,
    actions.rejectRequest,
    actions.fulfilRequest,
    actions.cancelRequest,
    actions.retryRequest,
    ...talk.operations,
  ],
  readers: [fulfilmentReader, askApprovers],
  contributions: [
    contribute(TicketKindPoint, requestKind),
    contribute(PackContentPoint, itemContent),
  ],
});
