import { permission } from "#kernel/access/permission.ts";

export const AnalyticsRead = permission(
  "analytics:read",
  "View and run reports, dashboards and KPIs, and export data that you can view",
  ["builder", "agent", "change_manager", "viewer", "auditor"],
);
export const AnalyticsWrite = permission(
  "analytics:write",
  "Create, change and delete reports, dashboards and KPIs",
  ["builder", "agent", "change_manager"],
);
