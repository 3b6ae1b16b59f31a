import { changeEvent, event } from "#kernel/log/event.ts";
import { Dashboard } from "./dashboard.ts";

export const DashboardCreated = event("dashboard.created", {
  resource: "dashboard",
  summary: "A dashboard was made.",
  data: Dashboard,
});
export const DashboardUpdated = changeEvent("dashboard.updated", {
  resource: "dashboard",
  summary: "A dashboard was changed.",
  data: Dashboard,
});
export const DashboardDeleted = event("dashboard.deleted", {
  resource: "dashboard",
  summary: "A dashboard was deleted.",
  data: Dashboard,
});

export const dashboardEvents = [DashboardCreated, DashboardUpdated, DashboardDeleted] as const;
