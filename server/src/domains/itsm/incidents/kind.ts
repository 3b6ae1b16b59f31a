import { ticketRouted } from "../assignment/index.ts";
import { ticketCommands, type TicketKind } from "../tickets/index.ts";
import {
  Incident,
  incidentEventData,
  incidentMachine,
  IncidentsOwn,
  IncidentsRead,
  IncidentsWrite,
} from "./incident.ts";
import { canSeeIncidents, ownIncidents } from "./access.ts";
import { applyIncidentTransition } from "./lifecycle.ts";
import { incidentList } from "./list.ts";
import { incidentStore } from "./store.ts";

export const incidentKind: TicketKind = {
  kind: "incident",
  plural: "incidents",
  prefix: "inc",
  path: "/api/v1/itsm/incidents",
  table: "incidents",
  identityFields: ["callerId"],
  machine: incidentMachine,
  read: IncidentsOwn,
  write: IncidentsWrite,
  comment: IncidentsOwn,
  canSee: canSeeIncidents,
  own: ownIncidents,
  reporting: { list: incidentList, permission: IncidentsRead },
};

/** Emitted when a rule assigned an incident to a member or a team. */
export const IncidentRouted = ticketRouted(incidentKind);

export const EXAMPLE_INCIDENT = "INC0000001";

export const incidentCommands = ticketCommands({
  kind: incidentKind,
  machine: incidentMachine,
  schema: Incident,
  toData: incidentEventData,
  store: incidentStore,
  applyTransition: applyIncidentTransition,
  example: EXAMPLE_INCIDENT,
});
