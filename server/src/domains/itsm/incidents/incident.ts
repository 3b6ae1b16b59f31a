import Type, { type Static, type TProperties } from "typebox";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { personId } from "../contacts/index.ts";
import {
  Level,
  OptionalLabels,
  stateMachine,
  Priority,
  ratingFields,
  TicketSummary,
} from "../tickets/index.ts";

/** The states of an incident. */
export const incidentMachine = stateMachine({
  kind: "incident",
  states: ["new", "in_progress", "on_hold", "resolved", "closed", "cancelled"],
  finalStates: ["closed", "cancelled"],
  transitions: [
    { action: "start", from: ["new", "on_hold"], to: "in_progress" },
    { action: "hold", from: ["new", "in_progress"], to: "on_hold" },
    { action: "resolve", from: ["new", "in_progress", "on_hold"], to: "resolved" },
    { action: "close", from: ["resolved"], to: "closed" },
    { action: "reopen", from: ["resolved", "closed"], to: "in_progress" },
    { action: "cancel", from: ["new", "in_progress", "on_hold"], to: "cancelled" },
    { action: "unmerge", from: ["cancelled"], to: "in_progress", automatic: true },
  ],
});
export type State = (typeof incidentMachine.states)[number];
export type Action = (typeof incidentMachine.transitions)[number]["action"];

/** The states in which somebody still has to work on it; the column `is_open` is true in them. */
export const OPEN_STATES: readonly State[] = ["new", "in_progress", "on_hold"];

/** From the least to the worst. */
export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

const ITEMS_MAX = 100;

export const StateName = Type.Enum([...incidentMachine.states]);
export const Severity = Type.Enum([...SEVERITIES], {
  description: "How bad it is, whatever its place in the queue",
});
/** Each workspace has its own codes, and reports count by them. */
export const ResolutionCode = line(
  100,
  "In a word how it was resolved, such as `solved`, `workaround`, `duplicate`, `not_reproducible`, " +
    "`no_fault` or `user_error`",
);
export const DEFAULT_RESOLUTION_CODE = "solved";
export const Resolution = line(20_000, "What was done about it");
export const Reason = line(2_000);
export const OptionalReason = object({ reason: Type.Optional(Reason) });
/** The moment at which an incident that is on hold comes back by itself. */
export const HoldUntil = nullable(
  Type.String({
    format: "date-time",
    description: "When it is worked on again by itself, while it is on hold",
  }),
);
export const UserId = id("usr");
export const TeamId = id("tem");

/** The fields that people set and change. */
export const incidentFields = {
  title: line(300),
  description: text(50_000),
  impact: Level,
  urgency: Level,
  severity: Severity,
  category: text(100),
  callerId: nullable(
    personId("The person affected, a member or a contact; whoever raised it unless given"),
  ),
  assigneeId: nullable(id("usr", "Who works on it")),
  teamId: nullable(id("tem", "Whose it is to work on")),
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    description: "The configuration items that it is about",
  }),
};

export const Incident = Type.Object(
  {
    id: id("inc"),
    number: Type.String({ description: "Such as `INC0000001`" }),
    ...incidentFields,
    ...OptionalLabels,
    state: StateName,
    priority: Priority,
    isMajor: Type.Boolean(),
    parentId: nullable(id("inc", "The major incident that it is a child of")),
    onHoldReason: nullable(text(2_000)),
    // Events of earlier versions do not have it.
    holdUntil: Type.Optional(HoldUntil),
    // Events of earlier versions do not have it.
    mergedIntoId: Type.Optional(
      nullable(id("inc", "The incident that it was merged into, as a duplicate of it")),
    ),
    resolution: nullable(text(20_000, "What was done about it")),
    resolutionCode: nullable(ResolutionCode),
    resolvedAt: nullable(Time),
    resolvedBy: nullable(Type.String()),
    closedAt: nullable(Time),
    reopenCount: Type.Integer(),
    ...ratingFields,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Incident" },
);
/** An incident in responses and events. */
export type IncidentData = Static<typeof Incident>;
export type Incident = IncidentData & { readonly revision: number };

/** The incident in the data of events. */
export function incidentEventData({ revision: _, ...incident }: Incident): IncidentData {
  return incident;
}

/** True when one severity is worse than another. */
export function isWorse(severity: Severity, than: Severity): boolean {
  return SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(than);
}

/** True when a change escalates an incident: it got worse, or went from one team to another. */
export function isEscalation(before: IncidentData, after: IncidentData): boolean {
  const isRerouted =
    before.teamId !== null && after.teamId !== null && after.teamId !== before.teamId;
  return isRerouted || isWorse(after.severity, before.severity);
}

/** True when a change assigns an incident to somebody who did not have it. */
export function isAssignment(before: IncidentData | undefined, after: IncidentData): boolean {
  return after.assigneeId !== null && after.assigneeId !== before?.assigneeId;
}

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
export const IncidentRated = event("incident.rated", {
  resource,
  summary: "Whoever an incident was for said how content they are with what became of it.",
  data: Incident,
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
/** The words for the public that go with a broadcast. */
export const StatusNotice = Type.Object(
  {
    title: Type.Optional(line(200, "What it is called outside; asked for the first time only")),
    status: Type.Enum(["investigating", "identified", "monitoring", "resolved"]),
    effect: Type.Optional(
      Type.Enum(["degraded", "down"], { description: "`degraded` unless given" }),
    ),
    componentIds: Type.Optional(
      Type.Array(id("stc"), { maxItems: 50, description: "The components that suffer from it" }),
    ),
  },
  { title: "StatusNotice", additionalProperties: false },
);

export const IncidentBroadcast = event("incident.broadcast", {
  resource,
  summary: "All who have to do with a major incident or its children were told something.",
  data: incidentAnd({ message: Type.String(), statusPage: Type.Optional(StatusNotice) }),
});

export const events = [
  IncidentCreated,
  IncidentUpdated,
  IncidentAssigned,
  IncidentEscalated,
  IncidentResolved,
  IncidentClosed,
  IncidentReopened,
  IncidentRated,
  IncidentCancelled,
  MajorDeclared,
  MajorEnded,
  ChildLinked,
  ChildUnlinked,
  IncidentBroadcast,
];

const readers = ["builder", "agent", "change_manager", "viewer", "auditor"] as const;
const agents = ["agent", "change_manager"] as const;

export const IncidentsRead = permission("incidents:read", "See incidents", readers);
export const IncidentsWrite = permission("incidents:write", "Raise and work on incidents", agents);
export const IncidentsOwn = permission(
  "incidents:own",
  "Raise incidents for oneself, and see, answer, confirm, reopen and rate one's own",
  EVERYONE,
  [IncidentsRead, IncidentsWrite],
);
export const IncidentsResolve = permission("incidents:resolve", "Resolve incidents", agents);
