import { partitionOfCaller } from "#kernel/access/caller.ts";
import { query } from "#kernel/operation/operation.ts";
import type { Operation } from "#kernel/contract.ts";
import { largeItem } from "#kernel/operation/response.ts";
import { resource } from "#kernel/resource/resource.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import {
  Dashboard,
  DashboardChange,
  DashboardData,
  DashboardId,
  DashboardInUse,
  DashboardNameTaken,
  DASHBOARDS_MAX,
  NewDashboard,
  TooManyDashboards,
} from "./dashboard.ts";
import { loadWidgetData } from "./widget-data.ts";
import { checkWidgetReports, checkWidgets } from "./widgets.ts";
import { periodQuery } from "../reports/drill.ts";
import { type FilterBar } from "../reports/definition/filter-bar.ts";
import { reportClock, resolvePeriod } from "../reports/definition/period.ts";
import { parseJsonObject } from "../reports/json-object.ts";
import Type from "typebox";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { queryRows } from "#kernel/db/statement.ts";

const id = "dsh_01jd0000000000000000000000";

export const dashboards = resource({
  name: "dashboard",
  plural: "dashboards",
  effect: "ordinary",
  path: "/api/v1/analytics/dashboards",
  table: "dashboards",
  idPrefix: "dsh",
  schema: Dashboard,
  json: ["widgets", "filters", "period"],
  input: NewDashboard,
  change: DashboardChange,
  defaults: { description: "", widgets: [], filters: [], period: null },
  permissions: { read: AnalyticsRead, write: AnalyticsWrite },
  list: { order: "-id", search: ["name", "description"] },
  unique: DashboardNameTaken,
  limit: { max: DASHBOARDS_MAX, failure: TooManyDashboards },
  async prepare(platform, { widgets = [], period }, caller) {
    const request = { platform, caller };
    if (period) resolvePeriod(period, await reportClock(request, undefined));
    await checkWidgetReports(request, widgets);
  },
  check: async ({ tx }, { widgets, ...input }) => ({
    ...input,
    ...(widgets && { widgets: await checkWidgets(tx, widgets) }),
  }),
  async beforeDelete({ tx }, { id: dashboardId }) {
    const text = "select name from report_schedules where dashboard_id = $1 order by name limit 10";
    const names = (await queryRows(tx, text, [dashboardId])).map(({ name }) => String(name));
    if (names.length > 0) {
      throw new Failure(DashboardInUse, { detail: `It is sent by ${names.join(", ")}.` });
    }
  },
  operations: {
    create: {
      summary: "Create a dashboard",
      description:
        "The reports and KPIs of the widgets must exist. Widgets without an `id` get one.",
    },
    get: { summary: "Get a dashboard without the data of its widgets" },
    delete: {
      summary: "Delete a dashboard but not its reports and KPIs",
      fails: [DashboardInUse],
    },
  },
  docs: {
    noun: "a dashboard",
    nouns: "dashboards, newest first",
    events: { created: "A dashboard was created." },
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
  summary: "Get the data of all widgets of a dashboard",
  description:
    "Returns only data that you can view, at most 10 seconds old unless `maxAge` is lower. The period and the filter apply to all widgets. `notFiltered` lists filters that do not apply to the source of a widget. If a widget fails, it contains an error, and the other widgets still have data.",
  permission: AnalyticsRead,
  longRunning: true,
  params: object({ id: DashboardId }),
  query: object({
    filter: Type.Optional(
      text(20_000, 'Conditions by field as JSON: `{"region":"north"}`. Unknown fields are ignored'),
    ),
    ...periodQuery,
    period: Type.Optional(
      Type.Enum(["own"], {
        description: "`own`: uses the period of each tile instead of the dashboard period",
      }),
    ),
    widgets: Type.Optional(line(4_000, "Ids of the widgets to return, separated by commas")),
    maxAge: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, description: "Maximum age of the data in seconds" }),
    ),
  }),
  response: largeItem(DashboardData),
  example: { params: { id }, query: { from: "$now-30d", filter: '{"region":"north"}' } },
  async prepare(platform, { params, query: asked }, caller) {
    const from = performance.now();
    const request = { platform, caller };
    const dashboard = await platform.db.read(partitionOfCaller(caller), (tx) =>
      dashboards.store.get(tx, params.id),
    );
    const bar = await toBar(request, dashboard, asked);
    const ids = asked.widgets?.split(",");
    const chosen = dashboard.widgets.filter(({ id: widgetId }) => ids?.includes(widgetId) ?? true);
    const widgets = await loadWidgetData(request, chosen, { ...bar, maxAgeS: asked.maxAge });
    const durationMs = Math.round(performance.now() - from);
    return { widgets: [...widgets], bar: bar.bar, durationMs };
  },
  run: async (_, __, data) => data,
});

interface AskedBar {
  readonly filter?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly period?: "own" | undefined;
  readonly timezone?: string | undefined;
}

/** The requested filter bar or that of the dashboard, and the clock that all widgets share. */
async function toBar(request: ReportRequest, { period }: Dashboard, asked: AskedBar) {
  const { filter, from, to, timezone } = asked;
  if (from !== undefined && asked.period !== undefined)
    throw invalidField("?period", "can't be combined with from");
  if (from === undefined && to !== undefined) throw invalidField("?to", "needs from");
  const clock = await reportClock(request, timezone);
  const stored = asked.period === "own" ? null : period;
  const span = from === undefined ? stored : { from, ...(to !== undefined && { to }) };
  if (span) resolvePeriod(span, clock, from === undefined ? "/period" : "?");
  const bar: FilterBar = {
    ...span,
    timezone: clock.timezone,
    ...(filter !== undefined && { filter: parseJsonObject(filter, "?filter") }),
  };
  return { bar, clock };
}

export const dashboardOperations: readonly Operation[] = [
  ...dashboards.operations,
  readDashboardData,
];
