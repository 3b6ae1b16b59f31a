import { domain } from "#kernel/domain.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { SqlViewPoint, viewColumns } from "#kernel/contributions/sql-view.ts";
import { readableKinds, visibilityByTicketKind } from "../tickets/index.ts";
import { breachAnnouncer } from "./clocks/announcer/breach-announcer.ts";
import { listClocks, ticketClocks } from "./clocks/operations.ts";
import {
  IncidentSlaBreached,
  IncidentSlaWarning,
  SlaBreached,
  SlaCancelled,
  SlaWarning,
} from "./breach-events.ts";
import { clockReader } from "./clocks/clock-reader.ts";
import {
  calendarContent,
  calendars,
  importHolidays,
  previewHolidays,
} from "./calendars/resource.ts";
import { policies, policyContent } from "./policy-resource.ts";
import { SlaRead, SlaWrite } from "./permissions.ts";
import { simulateDraft, simulatePolicy } from "./simulation.ts";
import { clocksSource } from "./report-source.ts";
import { policyReader, recomputeClocksJob } from "./clocks/recompute-clocks.ts";
import { breachNotificationReader } from "./notifications.ts";

export { IncidentSlaBreached, SlaBreached, SlaWarning } from "./breach-events.ts";
export { readTicketClocks, type SlaClock } from "./clocks/clock-schema.ts";
export { SlaRead } from "./permissions.ts";

export const sla = domain({
  name: "sla",
  summary: "SLA policies, clocks and business calendars.",
  permissions: [SlaRead, SlaWrite],
  events: [
    ...Object.values(policies.events),
    ...Object.values(calendars.events),
    SlaBreached,
    SlaWarning,
    SlaCancelled,
    IncidentSlaBreached,
    IncidentSlaWarning,
  ],
  operations: [
    ...policies.operations,
    simulatePolicy,
    simulateDraft,
    ...calendars.operations,
    importHolidays,
    previewHolidays,
    listClocks,
    ...ticketClocks,
  ],
  readers: [clockReader, policyReader, breachNotificationReader],
  jobs: [recomputeClocksJob],
  engines: [breachAnnouncer],
  contributions: [
    contribute(EventVisibilityPoint, visibilityByTicketKind(SlaBreached.resource)),
    contribute(PackContentPoint, calendarContent),
    contribute(PackContentPoint, policyContent),
    contribute(ReportSourcePoint, clocksSource),
    contribute(SqlViewPoint, {
      name: "sla_clocks",
      summary: "The SLA clocks of the tickets that you can view.",
      permission: SlaRead,
      columns: viewColumns({
        text: "ticket_id kind policy_id policy_name name metric state",
        bigint: "target_ms",
        timestamptz: "due_at warned_at breached_at stopped_at",
      }),
      visible: readableKinds,
    }),
  ],
});
