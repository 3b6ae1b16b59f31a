import { involvedSql, involvesSql } from "#domains/approvals/index.ts";
import {
  attachmentAdded,
  taskEvents,
  ticketCommands,
  type TicketKind,
  watchedSql,
} from "../../tickets/index.ts";
import { ticketRouted } from "../../assignment/index.ts";
import { RequestsRead, RequestsSubmit, RequestsWork } from "../permissions.ts";
import {
  applyRequestTransition,
  canSeeRequests,
  CatalogRequest,
  requestEventData,
  requestMachine,
} from "./request.ts";
import { requestList, requestStore } from "./store.ts";

/** The internal fields of a request, for request agents only. */
const INTERNAL = ["teamId", "ciIds", "tags", "fields"];

export const requestKind: TicketKind = {
  kind: "request",
  plural: "requests",
  prefix: "req",
  path: "/api/v1/catalog/requests",
  table: "catalog_requests",
  identityFields: ["requestedFor"],
  approverIdsSql: involvedSql("catalog_requests"),
  machine: requestMachine,
  read: RequestsSubmit,
  write: RequestsWork,
  reporting: { list: requestList, permission: RequestsRead },
  comment: RequestsSubmit,
  canSee: canSeeRequests,
  own: {
    sql: (person) =>
      `created_by = ${person} or requested_for = ${person}
       or ${involvesSql("request", person)} or ${watchedSql(person)}`,
    schema: CatalogRequest,
    fields: Object.keys(CatalogRequest.properties).filter((name) => !INTERNAL.includes(name)),
    events: [
      "created",
      "updated",
      "approval_requested",
      "approval_reminded",
      "approved",
      "rejected",
      "fulfilment_started",
      "step_decided",
      "fulfilled",
      "failed",
      "cancelled",
      "rated",
      "comment_added",
      "attachment_added",
      "attachment_removed",
      "task_added",
      "task_updated",
      "task_completed",
      "task_skipped",
      "task_reopened",
      "task_removed",
    ],
  },
};

/** Emitted when a rule assigned a request to a member or a team. */
export const RequestRouted = ticketRouted(requestKind);

/** Emitted for the tasks of an item when a request is created. */
export const RequestTaskAdded = taskEvents(requestKind).Added;

export const EXAMPLE_REQUEST = "REQ0000001";

export const requestCommands = ticketCommands({
  kind: requestKind,
  machine: requestMachine,
  schema: CatalogRequest,
  toData: requestEventData,
  store: requestStore,
  applyTransition: applyRequestTransition,
  example: EXAMPLE_REQUEST,
});

/** Emitted when a form file is attached to its request. */
export const RequestAttachmentAdded = attachmentAdded(requestKind);
