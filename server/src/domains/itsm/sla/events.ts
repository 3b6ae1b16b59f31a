import Type from "typebox";
import { TICKET_KINDS } from "../tickets/index.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { METRICS, SlaPolicy } from "./policy.ts";

const about = { resource: "sla_policy", data: SlaPolicy };

export const SlaPolicyCreated = event("sla_policy.created", {
  ...about,
  summary: "An SLA policy was made.",
});
export const SlaPolicyUpdated = changeEvent("sla_policy.updated", {
  ...about,
  summary: "An SLA policy was changed, switched on or off.",
});
export const SlaPolicyDeleted = event("sla_policy.deleted", {
  ...about,
  summary: "An SLA policy was deleted.",
});

/** What is told of a clock that ran out, or nearly did. */
const Alert = Type.Object(
  {
    policyId: Type.String(),
    policyName: Type.String(),
    metric: Type.Enum([...METRICS]),
    targetMinutes: Type.Number(),
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
  summary: "Most of the time that an SLA allows is used up for an incident.",
  data: Alert,
});
export const SlaBreached = event("sla.breached", {
  resource: "ticket",
  summary: "The deadline of an SLA passed, for a ticket of any kind.",
  data: Alert,
});
export const SlaWarning = event("sla.warning", {
  resource: "ticket",
  summary: "Most of the time that an SLA allows is used up, for a ticket of any kind.",
  data: Alert,
});
