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

/** Unfinished states; the column `is_open` is true in them. */
export const OPEN_STATES: readonly State[] = ["new", "in_progress", "on_hold"];

/** From least to most severe. */
export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

const ITEMS_MAX = 100;

export const StateName = Type.Enum([...incidentMachine.states]);
export const Severity = Type.Enum([...SEVERITIES], {
  description: "Severity, independent of the priority",
});
/** Each workspace has its own codes, and reports count by code. */
export const ResolutionCode = line(
  100,
  "Resolution code, such as `solved`, `workaround`, `duplicate`, `not_reproducible`, `no_fault` or `user_error`",
);
export const DEFAULT_RESOLUTION_CODE = "solved";
export const Resolution = line(20_000, "Description of the resolution");
export const Reason = line(2_000);
export const OptionalReason = object({ reason: Type.Optional(Reason) });
/** The time at which an incident on hold resumes. */
export const HoldUntil = nullable(
  Type.String({
    format: "date-time",
    description: "End of the hold. At this time the incident returns to `in_progress`",
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
  callerId: nullable(personId("The affected person, a member or a contact. Default: the creator")),
  assigneeId: nullable(id("usr", "The assigned member")),
  teamId: nullable(id("tem", "The assigned team")),
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    description: "The affected configuration items",
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
    parentId: nullable(id("inc", "The parent major incident")),
    onHoldReason: nullable(text(2_000)),
    // Events of earlier versions do not have this field.
    holdUntil: Type.Optional(HoldUntil),
    // Events of earlier versions do not have this field.
    mergedIntoId: Type.Optional(
      nullable(id("inc", "The incident that this duplicate was merged into")),
    ),
    resolution: nullable(text(20_000, "Description of the resolution")),
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

export function incidentEventData({ revision: _, ...incident }: Incident): IncidentData {
  return incident;
}

/** True when one severity is worse than another. */
export function isWorse(severity: Severity, than: Severity): boolean {
  return SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(than);
}

/** True if a change escalates an incident: a higher severity, or another team. */
export function isEscalation(before: IncidentData, after: IncidentData): boolean {
  const isRerouted =
    before.teamId !== null && after.teamId !== null && after.teamId !== before.teamId;
  return isRerouted || isWorse(after.severity, before.severity);
}

/** True if a change assigns an incident to a new assignee. */
export function isAssignment(before: IncidentData | undefined, after: IncidentData): boolean {
  return after.assigneeId !== null && after.assigneeId !== before?.assigneeId;
}

const resource = "incident";
const reason = nullable(Type.String());

/** The complete incident, and fields of the event. */
function incidentAnd<P extends TProperties>(more: P) {
  return Type.Object({ ...Incident.properties, ...more });
}

export const IncidentCreated = event("incident.created", {
  resource,
  summary: "An incident was created.",
  data: Incident,
});
export const IncidentUpdated = changeEvent("incident.updated", {
  resource,
  summary: "An incident was updated.",
  data: Incident,
});
export const IncidentAssigned = event("incident.assigned", {
  resource,
  summary: "An incident was assigned.",
  data: Incident,
});
export const IncidentEscalated = event("incident.escalated", {
  resource,
  summary: "An incident was escalated: it got a higher severity, or moved to another team.",
  data: incidentAnd({ reason }),
});
export const IncidentResolved = event("incident.resolved", {
  resource,
  summary: "An incident was resolved.",
  data: Incident,
});
export const IncidentClosed = event("incident.closed", {
  resource,
  summary: "A resolved incident was closed, manually or automatically.",
  data: Incident,
});
export const IncidentReopened = event("incident.reopened", {
  resource,
  summary: "A resolved or closed incident was reopened.",
  data: incidentAnd({ reason }),
});
export const IncidentRated = event("incident.rated", {
  resource,
  summary: "The caller rated the resolution of an incident.",
  data: Incident,
});
export const IncidentCancelled = event("incident.cancelled", {
  resource,
  summary: "An incident was cancelled.",
  data: incidentAnd({ reason }),
});
export const MajorDeclared = event("incident.major_declared", {
  resource,
  summary: "An incident was declared a major incident.",
  data: incidentAnd({ reason }),
});
export const MajorEnded = event("incident.major_ended", {
  resource,
  summary: "An incident is no longer a major incident.",
  data: Incident,
});
export const ChildLinked = event("incident.child_linked", {
  resource,
  summary: "A child was added to a major incident.",
  data: incidentAnd({ child: TicketSummary }),
});
export const ChildUnlinked = event("incident.child_unlinked", {
  resource,
  summary: "A child was removed from a major incident.",
  data: incidentAnd({ child: TicketSummary }),
});
/** The public text of a broadcast. */
export const StatusNotice = Type.Object(
  {
    title: Type.Optional(line(200, "Public title. Required for the first notice")),
    status: Type.Enum(["investigating", "identified", "monitoring", "resolved"]),
    effect: Type.Optional(Type.Enum(["degraded", "down"], { description: "Default: `degraded`" })),
    componentIds: Type.Optional(
      Type.Array(id("stc"), { maxItems: 50, description: "The affected components" }),
    ),
  },
  { title: "StatusNotice", additionalProperties: false },
);

export const IncidentBroadcast = event("incident.broadcast", {
  resource,
  summary: "A message about a major incident was sent to everyone concerned.",
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

export const IncidentsRead = permission("incidents:read", "View incidents", readers);
export const IncidentsWrite = permission("incidents:write", "Create and work on incidents", agents);
export const IncidentsOwn = permission(
  "incidents:own",
  "Create own incidents, and view, comment on, confirm, reopen and rate them",
  EVERYONE,
  [IncidentsRead, IncidentsWrite],
);
export const IncidentsResolve = permission("incidents:resolve", "Resolve incidents", agents);
