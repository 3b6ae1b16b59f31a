import { command, query } from "#kernel/operation/operation.ts";
import type { Operation } from "#kernel/contract.ts";
import { listPageById, pageQuery } from "#kernel/operation/pagination.ts";
import { accepted, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AnalyticsRead } from "../permissions.ts";
import { downloadFile, linkExport } from "./download.ts";
import { ExportCancelled, ExportRequested } from "./export.ts";
import { Export, ExportId, ExportOver, NewExport, TooManyExports } from "./export.ts";
import { ReportBroken } from "../reports/report.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: ExportId });
const LIST = "exports, newest first";
const example = { params: { id: "exp_01jd0000000000000000000000" } };

const listExports = query({
  id: "exports.list",
  route: "GET /api/v1/analytics/exports",
  summary: "List your exports, newest first",
  description: "Owners and admins see all exports.",
  permission: AnalyticsRead,
  query: object(pageQuery),
  response: page(withRevision(Export)),
  run({ tx, services, caller }, { query: input }) {
    const runAs = service.visibleOwner(caller);
    return listPageById(services, LIST, input, (before, limit) =>
      store.list(tx, { runAs, before, limit }),
    );
  },
});

const createExport = command({
  id: "exports.create",
  effect: "ordinary",
  route: "POST /api/v1/analytics/exports",
  summary: "Export rows or a report as a file",
  description:
    "Runs in the background with your permissions. Exports the rows of `source` that match `filter`, with the given `fields` (default: all), oldest first, or the result of the report `reportId`. Rows that are added or changed during the export appear as they are when their page is read. No row appears twice. The file is kept for 7 days.",
  permission: AnalyticsRead,
  body: NewExport,
  response: accepted(Export, { location: ({ id }) => `/api/v1/analytics/exports/${id}` }),
  emits: [ExportRequested],
  fails: [TooManyExports, ReportBroken],
  example: {
    body: {
      source: { kind: "records", table: "orders" },
      filter: { status: "paid" },
      fields: ["id", "amount", "createdAt"],
      format: "csv",
    },
  },
  prepare: (platform, { body }, caller) => service.checkContent(platform, body, caller),
  run: (ctx, { body }, content) => service.requestExport(ctx, body, content),
});

const getExport = query({
  id: "exports.get",
  route: "GET /api/v1/analytics/exports/{id}",
  summary: "Get an export and its progress",
  permission: AnalyticsRead,
  params: ById,
  response: item(Export),
  example,
  run: ({ tx, caller }, { params }) => store.get(tx, params.id, service.visibleOwner(caller)),
});

const cancelExport = command({
  id: "exports.cancel",
  route: "DELETE /api/v1/analytics/exports/{id}",
  summary: "Cancel an export",
  permission: AnalyticsRead,
  params: ById,
  response: noContent(),
  emits: [ExportCancelled],
  fails: [ExportOver],
  example,
  run: (ctx, { params }) => service.cancelExport(ctx, params.id),
});

export const exportOperations: readonly Operation[] = [
  listExports,
  createExport,
  getExport,
  cancelExport,
  linkExport,
  downloadFile,
];
