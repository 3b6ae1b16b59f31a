import { partitionOfCaller } from "#kernel/access/caller.ts";
import { query } from "#kernel/operation/operation.ts";
import type { Operation } from "#kernel/contract.ts";
import { item } from "#kernel/operation/response.ts";
import { resource } from "#kernel/resource/resource.ts";
import { object } from "#kernel/schema/schema.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import {
  Dashboard,
  DashboardChange,
  DashboardData,
  DashboardId,
  DashboardNameTaken,
  DASHBOARDS_MAX,
  NewDashboard,
  TooManyDashboards,
} from "./dashboard.ts";
import { loadWidgetData } from "./widget-data.ts";
import { checkWidgets } from "./widgets.ts";

const id = "dsh_01jd0000000000000000000000";

export const dashboards = resource({
  name: "dashboard",
  plural: "dashboards",
  path: "/api/v1/analytics/dashboards",
  table: "dashboards",
  idPrefix: "dsh",
  schema: Dashboard,
  json: ["widgets"],
  input: NewDashboard,
  change: DashboardChange,
  defaults: { description: "", widgets: [] },
  permissions: { read: AnalyticsRead, write: AnalyticsWrite },
  list: { order: "-id", search: ["name", "description"] },
  unique: DashboardNameTaken,
  limit: { max: DASHBOARDS_MAX, failure: TooManyDashboards },
  check: async ({ tx }, { widgets, ...input }) => ({
    ...input,
    ...(widgets && { widgets: await checkWidgets(tx, widgets) }),
  }),
  operations: {
    create: {
      summary: "Make a dashboard",
      description:
        "The reports and KPIs that its widgets name must be there. Widgets without an `id` get one.",
    },
    get: { summary: "Read a dashboard, not what its widgets show" },
    delete: { summary: "Delete a dashboard; its reports and KPIs stay" },
  },
  docs: {
    noun: "a dashboard",
    nouns: "the dashboards, newest first",
    events: { created: "A dashboard was made." },
    examples: {
      id,
      input: {
        name: "Operations",
        widgets: [
          {
            title: "Runs by day",
            kind: "report",
            reportId: "rpt_01jd0000000000000000000000",
            layout: { x: 0, y: 0, w: 6, h: 4 },
          },
        ],
      },
      change: { name: "Operations, all day" },
    },
  },
});

const readDashboardData = query({
  id: "dashboards.data",
  route: "GET /api/v1/analytics/dashboards/{id}/data",
  summary: "Read what all widgets of a dashboard show",
  description:
    "As the caller may see it; at most 10 seconds old. A widget that fails says so, and the others are " +
    "there all the same.",
  permission: AnalyticsRead,
  longRunning: true,
  params: object({ id: DashboardId }),
  response: item(DashboardData),
  example: { params: { id } },
  async prepare(platform, { params }, caller) {
    const dashboard = await platform.db.read(partitionOfCaller(caller), (tx) =>
      dashboards.store.get(tx, params.id),
    );
    return { widgets: [...(await loadWidgetData(platform, caller, dashboard))] };
  },
  run: async (_, __, data) => data,
});

export const dashboardOperations: readonly Operation[] = [
  ...dashboards.operations,
  readDashboardData,
];
