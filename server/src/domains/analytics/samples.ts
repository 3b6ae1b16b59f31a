import { type Arranged, resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { alerts } from "./alerts/operations.ts";
import { dashboards } from "./dashboards/operations.ts";
import { kpis } from "./kpis/resource.ts";
import { reports } from "./reports/resource.ts";
import { reportSchedules } from "./schedules/operations.ts";

let count = 0;

function fresh(word: string): string {
  count += 1;
  return `${word} ${count}`;
}

const REPORT = {
  source: { kind: "events" },
  groupBy: ["type"],
  aggregates: [{ fn: "count" }],
};
const MEASURE = { source: { kind: "events" }, filter: { topic: "report" }, fn: "count" };
const KPI = {
  aggregate: MEASURE,
  window: { last: 1, unit: "days" },
  target: 0,
  direction: "up",
  schedule: { cron: "0 6 * * *", timezone: "Europe/Berlin" },
};

async function create(owner: Ask, path: string, body: object): Promise<Arranged> {
  const answer = await owner(`POST /api/v1/analytics/${path}`, body);
  return { params: { id: answer.body.data.id as string } };
}

const reportInput = async () => ({ name: fresh("Report"), ...REPORT });
const kpiInput = async () => ({ name: fresh("KPI"), ...KPI });
const report = async (owner: Ask) => create(owner, "reports", await reportInput());
const kpi = async (owner: Ask) => create(owner, "kpis", await kpiInput());

const alertInput = async () => ({
  name: fresh("Alert"),
  report: { source: { kind: "events" }, period: { from: "$now-1d" } },
  rule: { kind: "above", threshold: 0 },
});
const alert = async (owner: Ask) => create(owner, "alerts", await alertInput());

async function scheduleInput(owner: Ask) {
  const { params: { id: reportId } = {} } = await report(owner);
  const { body } = await owner("GET /api/v1/auth/me");
  return { name: fresh("Schedule"), reportId, recipients: [body.data.user.id] };
}
const schedule = async (owner: Ask) =>
  create(owner, "report-schedules", await scheduleInput(owner));

async function watchedAlert(owner: Ask): Promise<Arranged> {
  const { body } = await owner("GET /api/v1/auth/me");
  return create(owner, "alerts", { ...(await alertInput()), notify: [body.data.user.id] });
}

async function widgets(owner: Ask) {
  const layout = { x: 0, y: 0, w: 6, h: 4 };
  const { params: { id: reportId } = {} } = await report(owner);
  const { params: { id: kpiId } = {} } = await kpi(owner);
  return [
    { title: "Events", kind: "report", reportId, layout },
    { title: "Changes", kind: "kpi", kpiId, layout },
    { title: "By hand", kind: "report", report: REPORT, layout },
    { title: "Read me", kind: "text", text: "# All is well", layout },
  ];
}

const dashboardInput = async (owner: Ask) => ({
  name: fresh("Dashboard"),
  widgets: await widgets(owner),
});

const requested = (owner: Ask) =>
  create(owner, "exports", { source: { kind: "runs" }, format: "csv" });

/** A completed export, as the job leaves it. */
async function completed(owner: Ask, world: World): Promise<{ params: { id: string } }> {
  const { params } = await requested(owner);
  const id = params?.["id"] ?? "";
  await world.sql(
    `with e as (update exports set status = 'completed', bytes = 4, chunks = 1 where id = $1
                returning workspace_id, environment)
     insert into export_chunks (workspace_id, environment, export_id, no, start, bytes)
     select workspace_id, environment, $1, 0, 0, '\\x69640d0a' from e`,
    [id],
  );
  return { params: { id } };
}

export const samples: readonly Sample[] = [
  { operation: "reports.sources", arrange: async () => ({}) },
  { operation: "reports.fields", arrange: async () => ({ body: { source: { kind: "runs" } } }) },
  ...resourceSamples(reports, reportInput, { groupBy: ["topic"] }),
  { operation: "reports.preview", arrange: async () => ({ body: REPORT }) },
  {
    operation: "reports.update",
    name: "that a KPI of somebody else shows",
    arrange: async (owner, world) => {
      const arranged = await report(owner);
      const { aggregate: _, ...kind } = KPI;
      const shown = { name: fresh("KPI"), ...kind, reportId: arranged.params?.["id"] };
      const { params: { id } = {} } = await create(owner, "kpis", shown);
      await world.sql("update kpis set run_as = 'usr_another' where id = $1", [id]);
      return { ...arranged, body: { groupBy: ["topic"] } };
    },
  },
  { operation: "reports.run", arrange: report },
  { operation: "reports.rows", arrange: report },
  { operation: "reports.export", arrange: report },
  ...resourceSamples(dashboards, dashboardInput, { widgets: [] }),
  {
    operation: "dashboards.data",
    arrange: async (owner) => create(owner, "dashboards", await dashboardInput(owner)),
  },
  { operation: "reports.preview_rows", arrange: async () => ({ body: { report: REPORT } }) },
  { operation: "reports.explain", arrange: async () => ({ body: { report: REPORT } }) },
  ...resourceSamples(alerts, alertInput, { everyMinutes: 10 }),
  { operation: "alerts.history", arrange: alert },
  {
    operation: "alerts.check",
    name: "that finds it above its threshold, and tells somebody",
    arrange: watchedAlert,
  },
  {
    operation: "alerts.check",
    name: "that finds it as it should be again",
    arrange: async (owner) => {
      const arranged = await watchedAlert(owner);
      const path = `/api/v1/analytics/alerts/${arranged.params?.["id"]}`;
      await owner(`POST ${path}/check`);
      await owner(`PATCH ${path}`, { rule: { kind: "above", threshold: 1_000_000 } });
      return arranged;
    },
  },
  ...resourceSamples(reportSchedules, scheduleInput, { skipEmpty: true }),
  { operation: "report_schedules.send", arrange: schedule },
  { operation: "report_schedules.preview", arrange: schedule },
  ...resourceSamples(kpis, kpiInput, { target: 2 }),
  { operation: "kpis.history", arrange: kpi },
  {
    operation: "kpis.snapshot",
    name: "that finds the target missed which was met before",
    arrange: async (owner) => {
      const arranged = await kpi(owner);
      const path = `/api/v1/analytics/kpis/${arranged.params?.["id"]}`;
      await owner(`POST ${path}/snapshot`);
      await owner(`PATCH ${path}`, { target: 1_000_000 });
      return arranged;
    },
  },
  {
    operation: "kpis.backfill",
    arrange: async (owner) => ({
      ...(await kpi(owner)),
      body: { from: "2026-01-01T00:00:00Z", to: "2026-01-03T00:00:00Z" },
    }),
  },
  { operation: "exports.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "exports.create",
    arrange: async () => ({ body: { source: { kind: "runs" }, format: "csv" } }),
  },
  { operation: "exports.get", arrange: requested },
  { operation: "exports.cancel", arrange: requested },
  { operation: "exports.download", arrange: completed },
  {
    operation: "exports.file",
    arrange: async (owner, world) => {
      const { params } = await completed(owner, world);
      const { body } = await owner(`GET /api/v1/analytics/exports/${params.id}/download`);
      return { params: { token: (body.data.url as string).replace(/.*\/downloads\//, "") } };
    },
  },
];
