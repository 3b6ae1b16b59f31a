import { approvalRecount, collaboration, TicketKindPoint } from "../tickets/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { approverNotificationReader } from "./requests/notifications.ts";
import { fulfilmentReader } from "./requests/fulfilment.ts";
import { ItemRetired, items, retireItem } from "./items/item-resource.ts";
import { requestKind } from "./requests/kind.ts";
import { itemContent } from "./items/pack.ts";
import * as permissions from "./permissions.ts";
import * as requestEvents from "./requests/events.ts";
import { requestOperations } from "./requests/operations.ts";
import { requestStore } from "./requests/store.ts";
import { recountApproval, requestTransitions } from "./requests/transitions.ts";

export { requestKind } from "./requests/kind.ts";

const talk = collaboration(requestKind);
const { recountJob, departureReader } = approvalRecount({
  kind: requestKind,
  store: requestStore,
  waitingState: "awaiting_approval",
  emits: [
    requestEvents.RequestApproved,
    requestEvents.FulfilmentStarted,
    requestEvents.ApprovalRequested,
  ],
  recount: recountApproval,
});

export const catalog = domain({
  name: "catalog",
  summary: "What people may ask for, and what became of what they asked for.",
  permissions: Object.values(permissions),
  events: [
    items.events.created,
    items.events.updated,
    ItemRetired,
    ...Object.values(requestEvents),
    ...talk.events,
  ],
  operations: [
    ...items.operations,
    retireItem,
    ...requestOperations,
    ...requestTransitions,
    ...talk.operations,
  ],
  readers: [fulfilmentReader, approverNotificationReader, departureReader],
  jobs: [recountJob],
  contributions: [
    contribute(TicketKindPoint, requestKind),
    contribute(PackContentPoint, itemContent),
  ],
});
