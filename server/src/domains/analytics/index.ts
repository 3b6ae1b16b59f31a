import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { unattendedKpis } from "./kpis/store.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { dashboardOperations, dashboards } from "./dashboards/operations.ts";
import { dashboardContent } from "./dashboards/pack.ts";
import { exportEvents } from "./exports/export.ts";
import { exportOperations } from "./exports/operations.ts";
import { pruneExports } from "./exports/retention.ts";
import { writeExport } from "./exports/write-export.ts";
import { backfillKpi, kpiHistory, takeSnapshot } from "./kpis/history.ts";
import { KpiBackfilled, KpiSnapshotTaken, KpiThresholdCrossed } from "./kpis/kpi.ts";
import { kpiContent } from "./kpis/pack.ts";
import { kpis } from "./kpis/resource.ts";
import { pruneSnapshots } from "./kpis/retention.ts";
import { scheduledSnapshotJob } from "./kpis/schedule.ts";
import { AlertFired, AlertResolved } from "./alerts/alert.ts";
import { checkAlertJob } from "./alerts/check-alert.ts";
import { alertOperations, alerts } from "./alerts/operations.ts";
import { unattendedAlerts } from "./alerts/store.ts";
import { AnalyticsRead, AnalyticsWrite } from "./permissions.ts";
import { reportSchedules, scheduleOperations } from "./schedules/operations.ts";
import { ReportMailed, ScheduleTriggered } from "./schedules/schedule.ts";
import { reportMailJob, triggerScheduleJob } from "./schedules/send-job.ts";
import { reportOperations } from "./reports/operations.ts";
import { reportContent, reports } from "./reports/resource.ts";
import { reportStore } from "./reports/store.ts";

export {
  Aggregate as ReportAggregate,
  type ReportInput,
  TimeBucket as ReportTimeBucket,
  toDefinition as toReportDefinition,
} from "./reports/report.ts";
export { runReport } from "./reports/run-report.ts";

export const analytics = domain({
  name: "analytics",
  summary: "Reports, dashboards, KPIs, alerts and exports.",
  permissions: [AnalyticsRead, AnalyticsWrite],
  events: [
    reports.events.created,
    reports.events.updated,
    reports.events.deleted,
    dashboards.events.created,
    dashboards.events.updated,
    dashboards.events.deleted,
    kpis.events.created,
    kpis.events.updated,
    kpis.events.deleted,
    KpiSnapshotTaken,
    KpiBackfilled,
    KpiThresholdCrossed,
    alerts.events.created,
    alerts.events.updated,
    alerts.events.deleted,
    AlertFired,
    AlertResolved,
    reportSchedules.events.created,
    reportSchedules.events.updated,
    reportSchedules.events.deleted,
    ScheduleTriggered,
    ReportMailed,
    ...exportEvents,
  ],
  operations: [
    ...reportOperations,
    ...dashboardOperations,
    ...kpis.operations,
    kpiHistory,
    takeSnapshot,
    backfillKpi,
    ...alertOperations,
    ...scheduleOperations,
    ...exportOperations,
  ],
  jobs: [
    scheduledSnapshotJob,
    checkAlertJob,
    triggerScheduleJob,
    reportMailJob,
    pruneSnapshots,
    writeExport,
    pruneExports,
  ],
  contributions: [
    contribute(SearchSourcePoint, {
      kind: "dashboard",
      permission: AnalyticsRead,
      search: searchTable({ table: "dashboards", title: "name", detail: "description" }),
    }),
    contribute(PackContentPoint, reportContent, kpiContent, dashboardContent),
    contribute(UnattendedWorkPoint, unattendedKpis, unattendedAlerts),
    contribute(UsageCounterPoint, { name: "reports", count: reportStore.count }),
  ],
});
