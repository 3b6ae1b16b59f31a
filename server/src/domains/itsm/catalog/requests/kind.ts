import type { TicketKind } from "../../tickets/index.ts";
import { RequestsRead, RequestsSubmit, RequestsWork } from "../permissions.ts";
import { requestMachine, sees } from "./request.ts";
import { requestList, summariesOf } from "./store.ts";

/** Requests, as what all tickets have in common knows them. */
export const requestKind: TicketKind = {
  kind: "request",
  plural: "requests",
  prefix: "req",
  path: "/api/v1/catalog/requests",
  table: "catalog_requests",
  machine: requestMachine,
  read: RequestsSubmit,
  write: RequestsWork,
  reported: { list: requestList, permission: RequestsRead },
  comment: RequestsSubmit,
  sees,
  summariesOf,
};
