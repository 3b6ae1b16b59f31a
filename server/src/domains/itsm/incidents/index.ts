import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { ticketSearch } from "../tickets/index.ts";
import { SearchSourcePoint } from "#kernel/contributions/search-source.ts";
import { TicketsOnItemsPoint } from "#domains/itsm/cmdb/index.ts";
import { collaboration, TicketKindPoint, assignedTickets } from "../tickets/index.ts";
import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { autoCloseJob, findAutoCloseable } from "./auto-close.ts";
import { events } from "./incident.ts";
import { incidentKind, IncidentRouted } from "./kind.ts";
import { IncidentResumed, resumeJob } from "./hold/hold-until.ts";
import { mergeEvents, mergeOperations } from "./merge/merge.ts";
import { majorIncidentOperations } from "./major-incident.ts";
import { incidentOperations } from "./operations.ts";
import { IncidentsOwn, IncidentsRead, IncidentsResolve, IncidentsWrite } from "./incident.ts";
import { openIncidentsOn } from "./store.ts";
import { broadcastNotificationReader } from "./notifications.ts";
import { IncidentSplit, splitIncident } from "./split/split.ts";
import { childInverse } from "./undo/child-inverse.ts";
import { mergeInverse } from "./undo/merge-inverse.ts";
import { incidentTransitions } from "./transitions.ts";

export { Incident, incidentEventData, IncidentBroadcast, StatusNotice } from "./incident.ts";
export { incidentKind } from "./kind.ts";
export { createIncident } from "./service.ts";
export { reopenIncident } from "./transitions.ts";
export { rateTicket as rateIncident } from "./transitions.ts";
export { incidentStore } from "./store.ts";
export { IncidentRated, IncidentResolved, MajorEnded } from "./incident.ts";
export { type OpenIncident, openIncidentsOn } from "./store.ts";

const shared = collaboration(incidentKind);

export const incidents = domain({
  name: "incidents",
  summary: "Create, assign, resolve and report on incidents.",
  permissions: [IncidentsOwn, IncidentsRead, IncidentsWrite, IncidentsResolve],
  events: [
    ...events,
    ...mergeEvents,
    IncidentResumed,
    IncidentSplit,
    IncidentRouted,
    ...shared.events,
  ],
  operations: [
    ...incidentOperations,
    ...incidentTransitions,
    ...majorIncidentOperations,
    ...mergeOperations,
    splitIncident,
    ...shared.operations,
  ],
  readers: [broadcastNotificationReader],
  jobs: [findAutoCloseable, autoCloseJob, resumeJob],
  contributions: [
    contribute(InversePoint, {
      resourceType: "incident",
      updated: ["incident.updated"],
      companions: ["incident.assigned"],
      get: "incidents.get",
      update: "incidents.update",
    }),
    contribute(InversePoint, childInverse, mergeInverse),
    contribute(SearchSourcePoint, ticketSearch(incidentKind)),
    contribute(TicketKindPoint, incidentKind),
    contribute(WaitingWorkPoint, assignedTickets(incidentKind, incidentKind.read, "t.is_open")),
    contribute(TicketsOnItemsPoint, openIncidentsOn),
  ],
});
