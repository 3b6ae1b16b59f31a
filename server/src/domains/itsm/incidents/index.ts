import { TicketsOnItemsPoint } from "#domains/itsm/cmdb/index.ts";
import { collaboration, TicketKindPoint } from "../tickets/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { autoCloseJob, findAutoCloseable } from "./auto-close.ts";
import { events } from "./incident.ts";
import { incidentKind } from "./kind.ts";
import {
  assignIncident,
  createIncident,
  getIncident,
  listIncidents,
  updateIncident,
} from "./operations/crud.ts";
import {
  addChild,
  broadcast,
  declareMajor,
  endMajor,
  listIncidentChildren,
  removeChild,
} from "./operations/major.ts";
import {
  cancelIncident,
  closeIncident,
  escalateIncident,
  reopenIncident,
  resolveIncident,
} from "./operations/transitions.ts";
import { IncidentsRead, IncidentsResolve, IncidentsWrite } from "./incident.ts";
import { openIncidentsOn } from "./store.ts";
import { notifyAssignee, notifyBroadcast } from "./notifications.ts";

export { incidentKind } from "./kind.ts";
export { type OpenIncident, openIncidentsOn } from "./store.ts";

const talk = collaboration(incidentKind);

export const incidents = domain({
  name: "incidents",
  summary: "What went wrong, for whom, who works on it, and what became of it.",
  permissions: [IncidentsRead, IncidentsWrite, IncidentsResolve],
  events: [...events, ...talk.events],
  operations: [
    listIncidents,
    createIncident,
    getIncident,
    updateIncident,
    assignIncident,
    resolveIncident,
    escalateIncident,
    closeIncident,
    reopenIncident,
    cancelIncident,
    declareMajor,
    endMajor,
    listIncidentChildren,
    addChild,
    removeChild,
    broadcast,
    ...talk.operations,
  ],
  readers: [notifyAssignee, notifyBroadcast],
  jobs: [findAutoCloseable, autoCloseJob],
  contributions: [
    contribute(TicketKindPoint, incidentKind),
    contribute(TicketsOnItemsPoint, openIncidentsOn),
  ],
});
