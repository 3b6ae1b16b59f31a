import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { dashboardOperations, dashboards } from "./dashboards/operations.ts";
import { dashboardContent } from "./dashboards/pack.ts";
import { exportEvents } from "./exports/export.ts";
import { exportOperations } from "./exports/operations.ts";
import { pruneExports } from "./exports/retention.ts";
import { writeExport } from "./exports/write-export.ts";
import { kpiEvents } from "./kpis/kpi.ts";
import { kpiOperations } from "./kpis/operations.ts";
import { kpiContent } from "./kpis/pack.ts";
import { pruneSnapshots } from "./kpis/retention.ts";
import { scheduledSnapshotJob } from "./kpis/schedule.ts";
import { AnalyticsRead, AnalyticsWrite } from "./permissions.ts";
import { reportEvents } from "./reports/report.ts";
import { reportOperations } from "./reports/operations.ts";
import { reportContent } from "./reports/pack.ts";
import { count } from "./reports/store.ts";

export const analytics = domain({
  name: "analytics",
  summary: "Reports, dashboards and KPIs over everything that there is, and exports of it.",
  permissions: [AnalyticsRead, AnalyticsWrite],
  events: [
    ...reportEvents,
    dashboards.events.created,
    dashboards.events.updated,
    dashboards.events.deleted,
    ...kpiEvents,
    ...exportEvents,
  ],
  operations: [...reportOperations, ...dashboardOperations, ...kpiOperations, ...exportOperations],
  jobs: [scheduledSnapshotJob, pruneSnapshots, writeExport, pruneExports],
  contributions: [
    contribute(UsageCounterPoint, { name: "reports", count }),
    contribute(PackContentPoint, reportContent, kpiContent, dashboardContent),
  ],
});
