import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import { reportStore } from "../reports/store.ts";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import {
  KpiChange,
  KpiInUse,
  KpiNameTaken,
  KPIS_MAX,
  type Measure,
  NewKpi,
  scheduleOf,
  TooManyKpis,
} from "./kpi.ts";
import { checkMeasure } from "./measure.ts";
import { assertSchedule, scheduleNext } from "./schedule.ts";
import { kpiTable } from "./store.ts";

export const kpis = resource({
  ...kpiTable,
  name: "kpi",
  plural: "kpis",
  effect: "ordinary",
  path: "/api/v1/analytics/kpis",
  idPrefix: "kpi",
  input: NewKpi,
  change: KpiChange,
  defaults: { description: "", unit: null },
  permissions: { read: AnalyticsRead, write: AnalyticsWrite },
  list: { order: "-id", search: ["name", "description"] },
  unique: KpiNameTaken,
  limit: { max: KPIS_MAX, failure: TooManyKpis },
  async prepare(platform, input, caller, before) {
    if (!before || input.schedule !== undefined) assertSchedule(scheduleOf(input.schedule));
    const measure = changeMeasure(input, before?.measure);
    // Checked with the rights of the caller, because later snapshots run with them.
    await checkMeasure({ platform, caller }, measure);
    return measure;
  },
  // A change of a report locks the report before the KPIs that show it.
  beforeLock: ({ tx }, input, measure) => holdReport(tx, measure?.reportId ?? input.reportId),
  async check({ caller }, input, before, prepared) {
    const { reportId: _, aggregate: __, window: ___, schedule, ...fields } = input;
    const { cron, timezone = "UTC" } = scheduleOf(schedule);
    const { runAs, permissions } = authorityOf(caller);
    return {
      ...fields,
      ...((!before || schedule !== undefined) && { cron, timezone }),
      measure: prepared ?? changeMeasure(input, before?.measure),
      runAs,
      permissions: permissions && [...permissions],
    };
  },
  async afterWrite(ctx, kpi, before) {
    if (kpi.cron === before?.cron && kpi.timezone === before.timezone) return;
    await scheduleNext(ctx, kpi, ctx.now);
  },
  async beforeDelete({ tx }, { id }) {
    const dashboards = await listDashboards(tx, id);
    if (dashboards.length === 0) return;
    throw new Failure(KpiInUse, { detail: `It is shown by ${dashboards.join(", ")}.` });
  },
  operations: {
    create: {
      summary: "Create a KPI",
      description:
        "The value is an `aggregate`, or the first value in the first row of a report. A `window` restricts it to recent rows. Snapshots are taken on schedule, with the permissions of the member who saved the KPI last. `kpi.threshold_crossed` is appended when the value crosses the target.",
    },
    update: { description: "Later snapshots use your permissions." },
    delete: { summary: "Delete a KPI and its history", fails: [KpiInUse] },
  },
  docs: {
    noun: "a KPI",
    nouns: "KPIs, newest first",
    events: { created: "A KPI was created.", deleted: "A KPI and its history were deleted." },
    examples: {
      id: "kpi_01jd0000000000000000000000",
      input: {
        name: "Failed runs today",
        aggregate: { source: { kind: "runs" }, filter: { status: "failed" }, fn: "count" },
        window: { last: 1, unit: "days" },
        target: 5,
        direction: "down",
        schedule: { cron: "0 * * * *", timezone: "Europe/Berlin" },
      },
      change: { target: 3 },
    },
  },
});

type MeasureInput = { readonly [K in keyof Measure]?: Measure[K] | undefined };

/** The measure after a change: a report or an aggregate, and an optional window. */
function changeMeasure(input: MeasureInput, before: Measure | undefined): Measure {
  const isGiven = input.reportId !== undefined || input.aggregate;
  const { reportId = null, aggregate = null } = (isGiven ? input : before) ?? {};
  if (reportId !== null && aggregate) {
    throw invalidField("/aggregate", "can't be combined with a reportId");
  }
  if (reportId === null && !aggregate) {
    throw invalidField("/aggregate", "is required without a reportId");
  }
  const window = input.window === undefined ? before?.window : input.window;
  return { reportId, aggregate, window: window ?? null };
}

/** Locks a report against deletion until the commit. */
async function holdReport(tx: Tx, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined || (await reportStore.hold(tx, [id])).has(id)) return;
  throw invalidField("/reportId", "is not the id of a report");
}

/** The names of dashboards that show a KPI. */
async function listDashboards(tx: Tx, id: string): Promise<readonly string[]> {
  const text = "select name from dashboards where widgets @> $1::jsonb limit 10";
  const rows = await queryRows(tx, text, [JSON.stringify([{ kpiId: id }])]);
  return rows.map(({ name }) => String(name));
}
