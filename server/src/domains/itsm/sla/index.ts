import { domain } from "#kernel/domain.ts";
import { EventViewPoint } from "#kernel/event-view.ts";
import { contribute } from "#kernel/extension.ts";
import { PackContentPoint } from "#kernel/pack-content.ts";
import { ReportSourcePoint } from "#kernel/report-source.ts";
import { announcer } from "./announcing.ts";
import { listClocks, ticketClocks } from "./clock-operations.ts";
import { alertView } from "./event-view.ts";
import {
  IncidentSlaBreached,
  IncidentSlaWarning,
  SlaBreached,
  SlaPolicyCreated,
  SlaPolicyDeleted,
  SlaPolicyUpdated,
  SlaWarning,
} from "./events.ts";
import { followTickets } from "./following.ts";
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  simulatePolicy,
  updatePolicy,
} from "./operations.ts";
import { policyContent } from "./pack.ts";
import { SlaRead, SlaWrite } from "./permissions.ts";
import { clocksSource } from "./report-source.ts";
import { followPolicies, recompute } from "./recomputing.ts";
import { tellPeople } from "./telling.ts";

export { IncidentSlaBreached, SlaBreached, SlaWarning } from "./events.ts";

export const sla = domain({
  name: "sla",
  summary: "How quickly tickets are to be answered and resolved, and whether they are.",
  permissions: [SlaRead, SlaWrite],
  events: [
    SlaPolicyCreated,
    SlaPolicyUpdated,
    SlaPolicyDeleted,
    SlaBreached,
    SlaWarning,
    IncidentSlaBreached,
    IncidentSlaWarning,
  ],
  operations: [
    listPolicies,
    createPolicy,
    getPolicy,
    updatePolicy,
    deletePolicy,
    simulatePolicy,
    listClocks,
    ...ticketClocks,
  ],
  readers: [followTickets, followPolicies, tellPeople],
  jobs: [recompute],
  engines: [announcer],
  contributions: [
    contribute(EventViewPoint, alertView),
    contribute(PackContentPoint, policyContent),
    contribute(ReportSourcePoint, clocksSource),
  ],
});
