import type { Operation } from "#kernel/contract.ts";
import Type from "typebox";
import { reportSourcesOf } from "#kernel/contributions/report-source.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AnalyticsRead } from "../permissions.ts";
import { reports } from "./resource.ts";
import {
  explainReport,
  exportReport,
  listFields,
  previewReport,
  previewRows,
  reportRows,
  runReportNow,
} from "./run-operations.ts";

const SourceKind = Type.Object(
  {
    kind: Type.String(),
    summary: Type.String(),
    permission: Type.String({ description: "The permission required to view these rows" }),
    schema: Type.Record(Type.String(), Type.Unknown(), {
      description: "The JSON Schema of the other fields besides `kind`",
    }),
  },
  { title: "ReportSourceKind" },
);

const listSources = query({
  id: "reports.sources",
  route: "GET /api/v1/analytics/sources",
  summary: "List report sources",
  permission: AnalyticsRead,
  query: object(pageQuery),
  response: page(SourceKind),
  run: async ({ services }, { query: asked }) =>
    pageOfItems(services, "report sources", asked, {
      items: [...reportSourcesOf(services).values()].map((source) => ({
        kind: source.kind,
        summary: source.summary,
        permission: source.permission.name,
        schema: { ...source.schema },
      })),
      keyOf: ({ kind }) => kind,
    }),
});

export const reportOperations: readonly Operation[] = [
  listSources,
  listFields,
  ...reports.operations,
  previewReport,
  previewRows,
  explainReport,
  runReportNow,
  reportRows,
  exportReport,
];
