import { permission } from "#kernel/access/permission.ts";

export const AnalyticsRead = permission(
  "analytics:read",
  "See and run reports, dashboards and KPIs, and export what one may read",
  ["builder", "agent", "change_manager", "viewer", "auditor"],
);
export const AnalyticsWrite = permission(
  "analytics:write",
  "Create, change and delete reports, dashboards and KPIs",
  ["builder", "agent", "change_manager"],
);
