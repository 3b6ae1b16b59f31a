import {
  attachmentAdded,
  ticketCommands,
  type TicketKind,
  watchedSql,
} from "../../tickets/index.ts";
import { RequestsRead, RequestsSubmit, RequestsWork } from "../permissions.ts";
import {
  applyRequestTransition,
  canSeeRequests,
  CatalogRequest,
  requestEventData,
  requestMachine,
} from "./request.ts";
import { requestList, requestStore } from "./store.ts";

export const requestKind: TicketKind = {
  kind: "request",
  plural: "requests",
  prefix: "req",
  path: "/api/v1/catalog/requests",
  table: "catalog_requests",
  identityFields: ["requestedFor", "approverIds"],
  machine: requestMachine,
  read: RequestsSubmit,
  write: RequestsWork,
  reporting: { list: requestList, permission: RequestsRead },
  comment: RequestsSubmit,
  canSee: canSeeRequests,
  own: {
    sql: (person) =>
      `created_by = ${person} or requested_for = ${person}
       or ${person} = any (approver_ids) or ${watchedSql(person)}`,
  },
};

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

/** A file of a form is attached to the request that was made of it. */
export const RequestAttachmentAdded = attachmentAdded(requestKind);
