import Type from "typebox";
import { command, query } from "#kernel/operation/operation.ts";
import type { Operation } from "#kernel/contract.ts";
import { listPageById, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { reportSourcesOf } from "#kernel/contributions/report-source.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import { KpiUpdated } from "../kpis/kpi.ts";
import { ReportCreated, ReportDeleted, ReportUpdated } from "./report.ts";
import {
  NewReport,
  Report,
  ReportChange,
  ReportId,
  ReportInUse,
  ReportNameTaken,
  TooManyReports,
} from "./report.ts";
import {
  exportReport,
  listFields,
  previewReport,
  reportRows,
  runReportNow,
} from "./run-operations.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: ReportId });
const LIST = "reports, newest first";
const example = { params: { id: "rpt_01jd0000000000000000000000" } };

const SourceKind = Type.Object(
  {
    kind: Type.String(),
    summary: Type.String(),
    permission: Type.String({ description: "What a caller must hold to see such rows" }),
    schema: Type.Record(Type.String(), Type.Unknown(), {
      description: "The JSON Schema of what stands beside `kind`",
    }),
  },
  { title: "ReportSourceKind" },
);

const listSources = query({
  id: "reports.sources",
  route: "GET /api/v1/analytics/sources",
  summary: "List what reports can be about",
  permission: AnalyticsRead,
  response: item(Type.Array(SourceKind)),
  run: async ({ services }) =>
    [...reportSourcesOf(services).values()].map(({ kind, summary, permission, schema }) => ({
      kind,
      summary,
      permission: permission.name,
      schema: { ...schema },
    })),
});

const listReports = query({
  id: "reports.list",
  route: "GET /api/v1/analytics/reports",
  summary: "List the reports, newest first",
  permission: AnalyticsRead,
  query: object(pageQuery),
  response: page(Report),
  run: ({ tx, services }, { query: asked }) =>
    listPageById(services, LIST, asked, (before, limit) => store.list(tx, { before, limit })),
});

const createReport = command({
  id: "reports.create",
  route: "POST /api/v1/analytics/reports",
  summary: "Save a report",
  description:
    "What it names must be there, and be of the right kind, as if it were run. It belongs to the " +
    "environment of the request, like the data that it is about. Without `aggregates` it counts.",
  permission: AnalyticsWrite,
  body: NewReport,
  response: created(Report, { location: ({ id }) => `/api/v1/analytics/reports/${id}` }),
  emits: [ReportCreated],
  fails: [ReportNameTaken, TooManyReports],
  example: {
    body: {
      name: "Turnover by region and month",
      source: { kind: "records", table: "orders" },
      filter: { status: "paid" },
      groupBy: ["region"],
      timeBucket: { field: "createdAt", unit: "month", timezone: "Europe/Berlin" },
      aggregates: [{ fn: "count" }, { fn: "sum", field: "amount", as: "turnover" }],
      chart: { type: "bar", x: "bucket", y: ["turnover"], series: "region" },
    },
  },
  prepare: (platform, { body: { name: _, description: __, ...draft } }, caller) =>
    service.checked(platform, draft, caller),
  run: (ctx, { body }, definition) => service.create(ctx, body, definition),
});

const getReport = query({
  id: "reports.get",
  route: "GET /api/v1/analytics/reports/{id}",
  summary: "Read a report, not what it answers",
  permission: AnalyticsRead,
  params: ById,
  response: item(Report),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

const updateReport = command({
  id: "reports.update",
  route: "PATCH /api/v1/analytics/reports/{id}",
  summary: "Change a report",
  description:
    "Null takes a part away. KPIs that show it have the caller's rights from then on, unless it is only " +
    "called or described otherwise.",
  permission: AnalyticsWrite,
  params: ById,
  body: ReportChange,
  response: item(Report),
  emits: [ReportUpdated, KpiUpdated],
  fails: [ReportNameTaken],
  example: { ...example, body: { groupBy: ["region", "status"] } },
  prepare: (platform, { params, body }, caller) =>
    service.changed(platform, { id: params.id, change: body }, caller),
  run: (ctx, { params, body }, prepared) => service.update(ctx, params.id, body, prepared),
});

const deleteReport = command({
  id: "reports.delete",
  route: "DELETE /api/v1/analytics/reports/{id}",
  summary: "Delete a report",
  permission: AnalyticsWrite,
  params: ById,
  response: noContent(),
  emits: [ReportDeleted],
  fails: [ReportInUse],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

export const reportOperations: readonly Operation[] = [
  listSources,
  listFields,
  listReports,
  createReport,
  previewReport,
  getReport,
  updateReport,
  deleteReport,
  runReportNow,
  reportRows,
  exportReport,
];
