import Type, { type TProperties } from "typebox";
import { TicketSummary } from "../tickets/index.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { Incident } from "./incident.ts";

const resource = "incident";
const reason = nullable(Type.String());

/** The whole incident, and what belongs to the event alone. */
function incidentAnd<P extends TProperties>(more: P) {
  return Type.Object({ ...Incident.properties, ...more });
}

export const IncidentCreated = event("incident.created", {
  resource,
  summary: "An incident was raised.",
  data: Incident,
});
export const IncidentUpdated = changeEvent("incident.updated", {
  resource,
  summary: "An incident was changed.",
  data: Incident,
});
export const IncidentAssigned = event("incident.assigned", {
  resource,
  summary: "An incident was given to somebody who did not have it.",
  data: Incident,
});
export const IncidentEscalated = event("incident.escalated", {
  resource,
  summary: "The severity of an incident was raised, or it went to another team.",
  data: incidentAnd({ reason }),
});
export const IncidentResolved = event("incident.resolved", {
  resource,
  summary: "An incident was resolved.",
  data: Incident,
});
export const IncidentClosed = event("incident.closed", {
  resource,
  summary: "A resolved incident was closed, by somebody or when its time had come.",
  data: Incident,
});
export const IncidentReopened = event("incident.reopened", {
  resource,
  summary: "A resolved or closed incident has to be worked on again.",
  data: incidentAnd({ reason }),
});
export const IncidentCancelled = event("incident.cancelled", {
  resource,
  summary: "An incident was cancelled.",
  data: incidentAnd({ reason }),
});
export const MajorDeclared = event("incident.major_declared", {
  resource,
  summary: "An incident was declared a major one.",
  data: incidentAnd({ reason }),
});
export const MajorEnded = event("incident.major_ended", {
  resource,
  summary: "An incident is no longer a major one.",
  data: Incident,
});
export const ChildLinked = event("incident.child_linked", {
  resource,
  summary: "A major incident was given a child.",
  data: incidentAnd({ child: TicketSummary }),
});
export const ChildUnlinked = event("incident.child_unlinked", {
  resource,
  summary: "An incident is no longer the child of a major one.",
  data: incidentAnd({ child: TicketSummary }),
});
export const IncidentBroadcast = event("incident.broadcast", {
  resource,
  summary: "All who have to do with a major incident or its children were told something.",
  data: incidentAnd({ message: Type.String() }),
});

export const events = [
  IncidentCreated,
  IncidentUpdated,
  IncidentAssigned,
  IncidentEscalated,
  IncidentResolved,
  IncidentClosed,
  IncidentReopened,
  IncidentCancelled,
  MajorDeclared,
  MajorEnded,
  ChildLinked,
  ChildUnlinked,
  IncidentBroadcast,
];
