/** The events of SLA breaches, of warnings before them, and of obligations that ended. */
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
    name: Type.String({ description: "Of the target, within its policy" }),
    targetMinutes: Type.Number(),
    percent: Type.Number({ description: "The share of the time that is used up" }),
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
  summary: "The deadline of an SLA passed for an incident.",
  data: Alert,
});
export const IncidentSlaWarning = event("incident.sla_warning", {
  resource: "incident",
  summary: "A share of the time that an SLA allows is used up for an incident.",
  data: Alert,
});
export const SlaBreached = event("sla.breached", {
  resource: "ticket",
  summary: "The deadline of an SLA passed, for a ticket of any kind.",
  data: Alert,
});
export const SlaWarning = event("sla.warning", {
  resource: "ticket",
  summary: "A share of the time that an SLA allows is used up, for a ticket of any kind.",
  data: Alert,
});
export const SlaCancelled = event("sla.cancelled", {
  resource: "ticket",
  summary: "A policy no longer applies to a ticket; its clock has stopped, and nothing is due.",
  data: Alert,
});
