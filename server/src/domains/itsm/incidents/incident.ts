import Type, { type Static } from "typebox";
import { Level, machine, Priority } from "../tickets/index.ts";
import type { ResourceRef } from "#kernel/log/event.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";

/** How an incident lives. */
export const incidentMachine = machine({
  kind: "incident",
  states: ["new", "in_progress", "on_hold", "resolved", "closed", "cancelled"],
  ended: ["closed", "cancelled"],
  moves: [
    { action: "start", from: ["new", "on_hold"], to: "in_progress" },
    { action: "hold", from: ["new", "in_progress"], to: "on_hold" },
    { action: "resolve", from: ["new", "in_progress", "on_hold"], to: "resolved" },
    { action: "close", from: ["resolved"], to: "closed" },
    { action: "reopen", from: ["resolved", "closed"], to: "in_progress" },
    { action: "cancel", from: ["new", "in_progress", "on_hold"], to: "cancelled" },
  ],
});
export type State = (typeof incidentMachine.states)[number];
export type Action = (typeof incidentMachine.moves)[number]["action"];

/** The states in which somebody still has to work on it, as the column `is_open` has it. */
export const OPEN: readonly State[] = ["new", "in_progress", "on_hold"];

/** From the least to the worst. */
export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

const ITEMS_MAX = 100;

export const StateName = Type.Enum([...incidentMachine.states]);
export const Severity = Type.Enum([...SEVERITIES], {
  description: "How bad it is, whatever its place in the queue",
});
/** Each desk has its own, and reports count by them. */
export const ResolutionCode = line(
  100,
  "In a word how it was resolved, such as `solved`, `workaround`, `duplicate`, `not_reproducible`, " +
    "`no_fault` or `user_error`",
);
export const USUAL_RESOLUTION_CODE = "solved";
export const Resolution = line(20_000, "What was done about it");
export const Reason = line(2_000);
export const UserId = id("usr");
export const TeamId = id("tem");

/** What people say of an incident, and may say otherwise later. */
export const told = {
  title: line(300),
  description: text(50_000),
  impact: Level,
  urgency: Level,
  severity: Severity,
  category: text(100),
  callerId: nullable(id("usr", "The person affected; whoever raised it unless given")),
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
    ...told,
    state: StateName,
    priority: Priority,
    isMajor: Type.Boolean(),
    parentId: nullable(id("inc", "The major incident that it is a child of")),
    onHoldReason: nullable(text(2_000)),
    resolution: nullable(text(20_000, "What was done about it")),
    resolutionCode: nullable(ResolutionCode),
    resolvedAt: nullable(Time),
    resolvedBy: nullable(Type.String()),
    closedAt: nullable(Time),
    reopenCount: Type.Integer(),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Incident" },
);
/** As the API and events show it. */
export type IncidentData = Static<typeof Incident>;
export type Incident = IncidentData & { readonly revision: number };

/** How events name it. */
export function referTo({ id: incidentId, number, title }: IncidentData): ResourceRef {
  return { id: incidentId, number, displayName: title };
}

/** What events tell of it. */
export function dataOf({ revision: _, ...incident }: Incident): IncidentData {
  return incident;
}

/** Whether one severity is worse than another. */
export function isWorse(severity: Severity, than: Severity): boolean {
  return SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(than);
}

/** Whether a change of an incident is an escalation: it got worse, or went from one team to another. */
export function escalates(before: IncidentData, after: IncidentData): boolean {
  const movedOn = before.teamId !== null && after.teamId !== null && after.teamId !== before.teamId;
  return movedOn || isWorse(after.severity, before.severity);
}

/** Whether somebody got it who did not have it. */
export function assigns(before: IncidentData | undefined, after: IncidentData): boolean {
  return after.assigneeId !== null && after.assigneeId !== before?.assigneeId;
}
