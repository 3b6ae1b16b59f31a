/** Events of SLA breaches, warnings, and cancelled targets. */
import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "../tickets/index.ts";
import { METRICS } from "./policy.ts";

/** The data of each. */
const Alert = Type.Object(
  {
    policyId: Type.String(),
    policyName: Type.String(),
    metric: Type.Enum([...METRICS]),
    name: Type.String({ description: "Id of the target, unique within its policy" }),
    targetMinutes: Type.Number(),
    percent: Type.Number({ description: "Used share of the time" }),
    dueAt: nullable(Time),
    ticket: Type.Object({
      kind: Type.Enum([...TICKET_KINDS]),
      id: Type.String(),
      number: nullable(Type.String()),
      title: nullable(Type.String()),
      state: Type.String(),
      priority: nullable(Type.Integer()),
      assigneeId: nullable(Type.String()),
      teamId: nullable(Type.String()),
    }),
  },
  { title: "SlaAlert" },
);

export const IncidentSlaBreached = event("incident.sla_breached", {
  resource: "incident",
  summary: "An incident breached an SLA target.",
  data: Alert,
});
export const IncidentSlaWarning = event("incident.sla_warning", {
  resource: "incident",
  summary: "An SLA target of an incident reached a warning threshold.",
  data: Alert,
});
export const SlaBreached = event("sla.breached", {
  resource: "ticket",
  summary: "A ticket breached an SLA target.",
  data: Alert,
});
export const SlaWarning = event("sla.warning", {
  resource: "ticket",
  summary: "An SLA target of a ticket reached a warning threshold.",
  data: Alert,
});
export const SlaCancelled = event("sla.cancelled", {
  resource: "ticket",
  summary: "An SLA clock was cancelled because its policy no longer applies to the ticket.",
  data: Alert,
});
