import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { countEvents } from "#kernel/log/event-log.ts";
import { logSource, logView } from "#kernel/log/event-report-source.ts";
import { SqlViewPoint } from "#kernel/contributions/sql-view.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { checkpointJob } from "./chain/checkpoint-job.ts";
import { getEventProof, listLogCheckpoints, verifyAuditLog } from "./chain/operations.ts";
import { getAuditEvent, listEventTypes, queryAudit } from "./operations.ts";
import { listFormerMembers } from "./former-members.ts";
import { AuditRead, EventsRead } from "./permissions.ts";

export { AuditRead, EventsRead } from "./permissions.ts";

const EVENTS_COUNTED_MAX = 100_000;

export const audit = domain({
  name: "audit",
  summary: "The audit log and the catalog of event types.",
  permissions: [AuditRead, EventsRead],
  events: [],
  operations: [
    queryAudit,
    getEventProof,
    listLogCheckpoints,
    verifyAuditLog,
    getAuditEvent,
    listFormerMembers,
    listEventTypes,
  ],
  jobs: [checkpointJob],
  contributions: [
    contribute(UsageCounterPoint, {
      name: "events",
      count: (tx) => countEvents(tx, EVENTS_COUNTED_MAX),
    }),
    contribute(ReportSourcePoint, logSource(AuditRead)),
    contribute(SqlViewPoint, logView(AuditRead)),
  ],
});
