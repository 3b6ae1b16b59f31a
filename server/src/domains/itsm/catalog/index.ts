import { ApprovalSubjectPoint } from "#domains/approvals/index.ts";
import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import {
  collaboration,
  TicketKindPoint,
  assignedTickets,
  openTasks,
  ticketTasks,
} from "../tickets/index.ts";
import { ticketSearch } from "../tickets/index.ts";
import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { countAwaitingApproval, requestSubject } from "./requests/awaiting-approval.ts";
import { upkeep } from "./requests/approval-upkeep.ts";
import { approverNotificationReader } from "./requests/notifications.ts";
import { fulfilmentHook, fulfilmentReader } from "./requests/fulfilment.ts";
import { getItem, listItemTasks, ItemRetired, items, retireItem } from "./items/item-resource.ts";
import { requestKind, RequestRouted } from "./requests/kind.ts";
import { visibleItemSql } from "./items/item.ts";
import { itemContent } from "./items/pack.ts";
import * as permissions from "./permissions.ts";
import * as requestEvents from "./requests/events.ts";
import { requestOperations } from "./requests/operations.ts";
import { requestTransitions } from "./requests/transitions.ts";

export type { Form } from "./form/form.ts";
export { findConditionalFields, findHiddenFields } from "./form/hidden-fields.ts";
export {
  describeRequest,
  findPrices,
  readAnswers,
  RequestAnswer,
  type RequestAnswers,
} from "./requests/answers.ts";
export { visibleItemSql } from "./items/item.ts";
export { requestKind } from "./requests/kind.ts";
export {
  findActiveItem,
  type PreparedRequest,
  prepareSubmit,
  submitRequest,
} from "./requests/service.ts";
export { requestStore } from "./requests/store.ts";
export { awaitingApprovalBy } from "./requests/awaiting-approval.ts";
export { RequestRated } from "./requests/events.ts";
export { rateRequestDone as rateRequest } from "./requests/transitions.ts";

const talk = collaboration(requestKind);
const tasks = ticketTasks(requestKind, fulfilmentHook);

export const catalog = domain({
  name: "catalog",
  summary: "Catalog items and service requests.",
  permissions: Object.values(permissions),
  events: [
    items.events.created,
    items.events.updated,
    ItemRetired,
    ...Object.values(requestEvents),
    RequestRouted,
    ...talk.events,
    ...tasks.events,
  ],
  operations: [
    ...items.operations,
    getItem,
    listItemTasks,
    retireItem,
    ...requestOperations,
    ...requestTransitions,
    ...talk.operations,
    ...tasks.operations,
  ],
  readers: [fulfilmentReader, approverNotificationReader, upkeep.peopleReader],
  jobs: upkeep.jobs,
  contributions: [
    contribute(InversePoint, {
      resourceType: "request",
      updated: ["request.updated"],
      get: "requests.get",
      update: "requests.update",
    }),
    contribute(SearchSourcePoint, {
      kind: "catalog_item",
      permission: permissions.CatalogRead,
      search: (ctx, query) =>
        searchTable({
          table: "catalog_items",
          title: "name",
          detail: "description",
          also: ["category", "array_to_string(keywords, ' ')"],
          where: `status = 'active' and ${visibleItemSql(ctx.caller)}`,
        })(ctx, query),
    }),
    contribute(SearchSourcePoint, ticketSearch(requestKind)),
    contribute(TicketKindPoint, requestKind),
    contribute(ApprovalSubjectPoint, requestSubject),
    contribute(
      WaitingWorkPoint,
      assignedTickets(
        requestKind,
        permissions.RequestsWork,
        "t.state in ('submitted', 'awaiting_approval', 'approved', 'fulfilling')",
      ),
      openTasks(requestKind),
      {
        kind: "requestApprovals",
        permission: permissions.RequestsSubmit,
        count: countAwaitingApproval,
      },
    ),
    contribute(PackContentPoint, itemContent),
  ],
});
