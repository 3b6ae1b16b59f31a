import type { TicketKind } from "../tickets/index.ts";
import { incidentMachine } from "./incident.ts";
import { incidentList } from "./list.ts";
import { IncidentsRead, IncidentsWrite } from "./permissions.ts";
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
