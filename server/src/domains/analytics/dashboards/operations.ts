import { command, type Operation, query } from "#kernel/operation/operation.ts";
import { listPageById, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page } from "#kernel/operation/response.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { object } from "#kernel/schema/schema.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import {
  Dashboard,
  DashboardChange,
  DashboardData,
  DashboardId,
  DashboardNameTaken,
  NewDashboard,
  TooManyDashboards,
} from "./dashboard.ts";
import { loadWidgetData } from "./widget-data.ts";
import { DashboardCreated, DashboardDeleted, DashboardUpdated } from "./dashboard.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: DashboardId });
const LIST = "dashboards, newest first";
const example = { params: { id: "dsh_01jd0000000000000000000000" } };

const listDashboards = query({
  id: "dashboards.list",
  route: "GET /api/v1/analytics/dashboards",
  summary: "List the dashboards, newest first",
  permission: AnalyticsRead,
  query: object(pageQuery),
  response: page(Dashboard),
  run: ({ tx, services }, { query: asked }) =>
    listPageById(services, LIST, asked, (before, limit) => store.list(tx, { before, limit })),
});

const createDashboard = command({
  id: "dashboards.create",
  route: "POST /api/v1/analytics/dashboards",
  summary: "Make a dashboard",
  description:
    "The reports and KPIs that its widgets name must be there. Widgets without an `id` get one.",
  permission: AnalyticsWrite,
  body: NewDashboard,
  response: created(Dashboard, { location: ({ id }) => `/api/v1/analytics/dashboards/${id}` }),
  emits: [DashboardCreated],
  fails: [DashboardNameTaken, TooManyDashboards],
  example: {
    body: {
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
  },
  run: (ctx, { body }) => service.create(ctx, body),
});

const getDashboard = query({
  id: "dashboards.get",
  route: "GET /api/v1/analytics/dashboards/{id}",
  summary: "Read a dashboard, not what its widgets show",
  permission: AnalyticsRead,
  params: ById,
  response: item(Dashboard),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

const updateDashboard = command({
  id: "dashboards.update",
  route: "PATCH /api/v1/analytics/dashboards/{id}",
  summary: "Change a dashboard",
  permission: AnalyticsWrite,
  params: ById,
  body: DashboardChange,
  response: item(Dashboard),
  emits: [DashboardUpdated],
  fails: [DashboardNameTaken],
  example: { ...example, body: { name: "Operations, all day" } },
  run: (ctx, { params, body }) => service.update(ctx, params.id, body),
});

const deleteDashboard = command({
  id: "dashboards.delete",
  route: "DELETE /api/v1/analytics/dashboards/{id}",
  summary: "Delete a dashboard; its reports and KPIs stay",
  permission: AnalyticsWrite,
  params: ById,
  response: noContent(),
  emits: [DashboardDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

const dashboardData = query({
  id: "dashboards.data",
  route: "GET /api/v1/analytics/dashboards/{id}/data",
  summary: "Read what all widgets of a dashboard show",
  description:
    "As the caller may see it; at most 10 seconds old. A widget that fails says so, and the others are " +
    "there all the same.",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  response: item(DashboardData),
  example,
  async prepare(platform, { params: { id } }, caller) {
    const dashboard = await platform.db.read(partitionOfCaller(caller), (tx) => store.get(tx, id));
    return { widgets: [...(await loadWidgetData(platform, caller, dashboard))] };
  },
  run: async (_, __, data) => data,
});

export const dashboardOperations: readonly Operation[] = [
  listDashboards,
  createDashboard,
  getDashboard,
  updateDashboard,
  deleteDashboard,
  dashboardData,
];
