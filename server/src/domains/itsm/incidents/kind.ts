import { type TicketKind, ticketParams } from "../tickets/index.ts";
import { incidentMachine, IncidentsRead, IncidentsWrite } from "./incident.ts";
import { incidentList } from "./list.ts";
import { summariesOf } from "./store.ts";

/** What all kinds of tickets have in common, of incidents. */
export const incidentKind: TicketKind = {
  kind: "incident",
  plural: "incidents",
  prefix: "inc",
  path: "/api/v1/itsm/incidents",
  table: "incidents",
  machine: incidentMachine,
  read: IncidentsRead,
  write: IncidentsWrite,
  reported: { list: incidentList, permission: IncidentsRead },
  summariesOf,
};

/** The path of the list, and what names one in it. */
export const PATH = "/api/v1/itsm/incidents";
export const ById = ticketParams(incidentKind);
export const example = { params: { id: "INC0000001" } };
