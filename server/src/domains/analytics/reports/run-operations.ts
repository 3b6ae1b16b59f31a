import Type, { type Static } from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { download, item, dynamicPage, largeItem } from "#kernel/operation/response.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { FORMATS, FILE_FORMATS, MEDIA_TYPES, fileChunks } from "../exports/file/formats.ts";
import { AnalyticsRead } from "../permissions.ts";
import type { ReportCondition } from "./sql/report-sql.ts";
import {
  toDefinition,
  ReportInput,
  ReportBroken,
  ReportId,
  ReportResult,
  ReportTimedOut,
  Source,
} from "./report.ts";
import { listRowsBehind, markQuery, periodQuery, toPeriod, withZone } from "./drill.ts";
import { explainDefinition, ReportExplanation } from "./explain.ts";
import { FilterBar, toBarCondition } from "./definition/filter-bar.ts";
import { parseJsonObject } from "./json-object.ts";
import { runReport, runSavedReport, mapBrokenReport, withSource } from "./run-report.ts";
import { reportStore, type StoredReport } from "./store.ts";

const ById = object({ id: ReportId });
const params = { id: "rpt_01jd0000000000000000000000" };
const fails = [ReportBroken, ReportTimedOut];
const JSON_CHARACTERS_MAX = 20_000;

const narrowing = {
  filter: Type.Optional(text(JSON_CHARACTERS_MAX, "An additional condition as JSON")),
  ...periodQuery,
};

export const listFields = query({
  id: "reports.fields",
  route: "POST /api/v1/analytics/sources/fields",
  summary: "List the fields of a report source",
  description: "Returns fields that you can view. Fields of type `json` have subfields; use dots.",
  permission: AnalyticsRead,
  longRunning: true,
  body: object({ source: Source }),
  response: item(
    Type.Array(
      Type.Object(
        {
          name: Type.String(),
          title: Type.Optional(Type.String({ description: "Display name" })),
          type: ReportResult.properties.columns.items.properties.type,
        },
        { title: "ReportField" },
      ),
    ),
  ),
  example: { body: { source: { kind: "records", table: "orders" } } },
  prepare: (platform, { body: { source } }, caller) =>
    withSource({ platform, caller }, source, async ({ fields }) =>
      [...fields].map(([name, { kind, title }]) => ({
        name,
        ...(title !== undefined && { title }),
        type: kind,
      })),
    ),
  run: async (_, __, fields) => fields,
});

export const previewReport = query({
  id: "reports.preview",
  route: "POST /api/v1/analytics/reports/preview",
  summary: "Run a report that is not saved",
  permission: AnalyticsRead,
  longRunning: true,
  body: ReportInput,
  response: largeItem(ReportResult),
  fails: [ReportTimedOut],
  example: {
    body: { source: { kind: "runs" }, groupBy: ["status"], aggregates: [{ fn: "count" }] },
  },
  prepare: (platform, { body }, caller) => runReport({ platform, caller }, toDefinition(body)),
  run: async (_, __, result) => result,
});

const previewExample = {
  report: { source: { kind: "runs" }, groupBy: ["status"] },
  bar: { from: "$now-30d", filter: { status: "failed" } },
};

export const previewRows = query({
  id: "reports.preview_rows",
  route: "POST /api/v1/analytics/reports/preview/rows",
  summary: "List the rows behind a value of an unsaved report, newest first",
  description: "Supports the filter bar of a dashboard tile.",
  permission: AnalyticsRead,
  longRunning: true,
  query: object(pageQuery),
  body: object({
    report: ReportInput,
    bar: Type.Optional(FilterBar),
    group: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    ...markQuery,
  }),
  response: dynamicPage(Type.Record(Type.String(), Type.Unknown())),
  fails: [ReportTimedOut],
  example: { body: { ...previewExample, group: { status: "failed" } } },
  async prepare(platform, { body, query: page }, caller) {
    const { report, bar = {}, group = {}, measure, before = false } = body;
    return listRowsBehind({ platform, caller }, toDefinition(report), {
      list: JSON.stringify(["rows of a draft", body]),
      page,
      mark: { group, measure, narrowing: toBarCondition(bar) },
      before,
      timezone: bar.timezone,
    });
  },
  run: async (_, __, answer) => answer,
});

export const explainReport = query({
  id: "reports.explain",
  route: "POST /api/v1/analytics/reports/explain",
  summary: "Explain the source, filter, period, permissions and SQL of a value",
  description:
    "The explanation is for your permissions at this time. If access rules of a table filter the rows, the SQL is only returned if you can edit these rules.",
  permission: AnalyticsRead,
  longRunning: true,
  body: object({ report: ReportInput, bar: Type.Optional(FilterBar) }),
  response: item(ReportExplanation),
  fails: [ReportTimedOut],
  example: { body: previewExample },
  prepare: (platform, { body: { report, bar = {} } }, caller) =>
    explainDefinition({ platform, caller }, toDefinition(report), bar),
  run: async (_, __, answer) => answer,
});

export const runReportNow = query({
  id: "reports.run",
  route: "POST /api/v1/analytics/reports/{id}/run",
  aliases: ["GET /api/v1/analytics/reports/{id}/run"],
  summary: "Run a report",
  description: "Uses only rows and fields that you can view. Fails if you can't view the source.",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  query: object(narrowing),
  response: largeItem(ReportResult),
  fails,
  example: { params, query: { filter: '{"region":"north"}' } },
  prepare: (platform, input, caller) => runById(platform, caller, input),
  run: async (_, __, result) => result,
});

export const exportReport = query({
  id: "reports.export",
  route: "GET /api/v1/analytics/reports/{id}/export",
  aliases: ["POST /api/v1/analytics/reports/{id}/export"],
  summary: "Run a report and download its result as a file",
  description:
    "Formats: `csv` (text that a spreadsheet would read as a formula gets a `'` in front), `xlsx` or `json`. To export the rows behind a report, use `POST /api/v1/analytics/exports`.",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  query: object({ ...narrowing, format: Type.Enum([...FORMATS], { default: "csv" }) }),
  response: download(MEDIA_TYPES),
  fails,
  example: { params, query: { format: "xlsx" } },
  async prepare(platform, { params: { id }, query: { format, ...narrowed } }, caller) {
    const { columns, rows } = await runById(platform, caller, { params: { id }, query: narrowed });
    const described = columns.map(({ name, title, type }) => ({ name, title, kind: type }));
    return {
      mediaType: FILE_FORMATS[format].mediaType,
      fileName: `${id}.${format}`,
      chunks: fileChunks(format, described, rows),
    };
  },
  run: async (_, __, file) => file,
});

export const reportRows = query({
  id: "reports.rows",
  route: "GET /api/v1/analytics/reports/{id}/rows",
  summary: "List the rows behind a report or one of its groups, newest first",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  query: object({
    ...pageQuery,
    group: Type.Optional(
      text(
        JSON_CHARACTERS_MAX,
        'The group as JSON, by column of the result: `{"bucket":"2026-01-01T00:00:00.000Z","region":"north"}`. Omitted columns match any value. For a funnel: the `step`',
      ),
    ),
    ...markQuery,
    ...narrowing,
  }),
  response: dynamicPage(Type.Record(Type.String(), Type.Unknown())),
  fails,
  example: { params, query: { limit: 50, group: '{"region":"north"}' } },
  async prepare(platform, { params: { id }, query: asked }, caller) {
    const { limit, after, group = "{}", measure, before = false, filter, ...period } = asked;
    const { definition, revision } = await reportFor(platform, caller, id);
    const narrowed = { ...parseNarrowing(filter), ...toPeriod(period) };
    return mapBrokenReport(() =>
      listRowsBehind({ platform, caller }, definition, {
        list: JSON.stringify(["rows of a report", id, revision, { ...asked, after: null }]),
        page: { limit, after },
        mark: { group: parseJsonObject(group, "?group"), measure, narrowing: narrowed },
        before,
        timezone: period.timezone,
      }),
    );
  },
  run: async (_, __, answer) => answer,
});

type NarrowingQuery = Static<typeof RunQuery>;
const RunQuery = object(narrowing);

async function runById(
  platform: Platform,
  caller: Caller,
  { params: { id }, query: asked }: { params: { id: string }; query: NarrowingQuery },
): Promise<ReportResult> {
  const { definition } = await reportFor(platform, caller, id);
  const { filter, ...period } = asked;
  const zoned = withZone(definition, period.timezone);
  const further = { ...parseNarrowing(filter), ...toPeriod(period) };
  return runSavedReport({ platform, caller }, zoned, further);
}

function parseNarrowing(filter: string | undefined): ReportCondition {
  if (filter === undefined) return {};
  return { filter: { condition: parseJsonObject(filter, "?filter"), at: "?filter" } };
}

function reportFor(platform: Platform, caller: Caller, id: string): Promise<StoredReport> {
  return platform.db.read(partitionOfCaller(caller), (tx) => reportStore.get(tx, id));
}
