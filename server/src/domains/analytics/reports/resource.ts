import { isDeepStrictEqual } from "node:util";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { resource } from "#kernel/resource/resource.ts";
import { inheritReportAuthority } from "../kpis/report-authority.ts";
import { kpis } from "../kpis/resource.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import {
  type Definition,
  NewReport,
  ReportChange,
  type ReportInput,
  ReportInUse,
  ReportNameTaken,
  REPORTS_MAX,
  toDefinition,
  TooManyReports,
} from "./report.ts";
import { checkReport } from "./run-report.ts";
import { assertSource } from "./source.ts";
import { reportTable } from "./store.ts";

export const reports = resource({
  ...reportTable,
  name: "report",
  plural: "reports",
  effect: "ordinary",
  path: "/api/v1/analytics/reports",
  idPrefix: "rpt",
  input: NewReport,
  change: ReportChange,
  defaults: { description: "" },
  permissions: { read: AnalyticsRead, write: AnalyticsWrite },
  list: { order: "-id", search: ["name", "description"] },
  unique: ReportNameTaken,
  limit: { max: REPORTS_MAX, failure: TooManyReports },
  emits: { update: [kpis.events.updated] },
  async prepare(platform, { name: _, description: __, ...parts }, caller, before) {
    const definition = changeDefinition(parts, before?.definition);
    if (Object.keys(parts).length > 0) await checkReport({ platform, caller }, definition);
    return definition;
  },
  async check(_ctx, { name, description, ...parts }, before, prepared) {
    return {
      name,
      description,
      definition: prepared ?? changeDefinition(parts, before?.definition),
    };
  },
  async afterWrite(ctx, { id, definition }, before) {
    if (before && !isDeepStrictEqual(definition, before.definition)) {
      await inheritReportAuthority(ctx, id);
    }
  },
  async beforeDelete({ tx }, { id }) {
    const users = await listUsers(tx, id);
    if (users.length === 0) return;
    throw new Failure(ReportInUse, { detail: `It is shown or sent by ${users.join(", ")}.` });
  },
  operations: {
    create: {
      summary: "Create a report",
      description:
        "The source and the fields must exist and have suitable types, as in a run. The report belongs to the environment of the request. Without `aggregates`, it counts rows.",
    },
    get: { summary: "Get a report without its result" },
    update: {
      description:
        "Null clears a part. If more than the name or the description changes, KPIs of the report use your permissions from then on.",
    },
    delete: { fails: [ReportInUse] },
  },
  docs: {
    noun: "a report",
    nouns: "reports, newest first",
    events: { created: "A report was created." },
    examples: {
      id: "rpt_01jd0000000000000000000000",
      input: {
        name: "Revenue by region and month",
        source: { kind: "records", table: "orders" },
        filter: { status: "paid" },
        groupBy: ["region"],
        timeBucket: { field: "createdAt", unit: "month", timezone: "Europe/Berlin" },
        aggregates: [{ fn: "count" }, { fn: "sum", field: "amount", as: "turnover" }],
        chart: { type: "bar", x: "bucket", y: ["turnover"], series: "region" },
      },
      change: { groupBy: ["region", "status"] },
    },
  },
});

/**
 * Reports in packs. Their source may be part of the same pack and not exist yet, so only the form is validated
 * here; an invalid one fails when it runs.
 */
export const reportContent = resourcePack(reports, {
  schema: NewReport,
  after: ["tables", "queries"],
  environmentScoped: true,
  async prepare(platform, { name: _, description: __, ...input }) {
    const definition = toDefinition(input);
    assertSource(platform, definition.source);
    return definition;
  },
  toContent: ({ name, description, definition }) => ({ name, description, ...definition }),
});

/** The definition after a change; null removes a part. */
function changeDefinition(parts: object, before: Definition | undefined): Definition {
  const entries = Object.entries({ ...before, ...parts }).filter(([, value]) => value !== null);
  return toDefinition(Object.fromEntries(entries) as unknown as ReportInput);
}

/** The names of dashboards and KPIs that show a report, and of schedules that send it. */
async function listUsers(tx: Tx, id: string): Promise<readonly string[]> {
  const text = `
    select name from dashboards where widgets @> $1::jsonb
    union all
    select name from kpis where measure ->> 'reportId' = $2
    union all
    select name from report_schedules where report_id = $2
    limit 10`;
  const rows = await queryRows(tx, text, [JSON.stringify([{ reportId: id }]), id]);
  return rows.map(({ name }) => String(name));
}
