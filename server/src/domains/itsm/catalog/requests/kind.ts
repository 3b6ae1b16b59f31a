import { ticketCommands, type TicketKind } from "../../tickets/index.ts";
import { RequestsRead, RequestsSubmit, RequestsWork } from "../permissions.ts";
import {
  applyRequestTransition,
  canSeeRequest,
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
};

export const EXAMPLE_REQUEST = "REQ0000001";

export const requestCommands = ticketCommands({
  kind: requestKind,
  machine: requestMachine,
  schema: CatalogRequest,
  toData: requestEventData,
  store: requestStore,
  applyTransition: applyRequestTransition,
  canSee: canSeeRequest,
  example: EXAMPLE_REQUEST,
});
