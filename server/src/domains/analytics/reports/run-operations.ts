import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { takeFittingPage } from "#kernel/operation/pagination.ts";
import { download, item, dynamicPage } from "#kernel/operation/response.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { sizeProblem, toStorableJson } from "#kernel/schema/json-value.ts";
import { FORMATS, FILE_FORMATS, MEDIA_TYPES, fileChunks } from "../exports/file/formats.ts";
import { AnalyticsRead } from "../permissions.ts";
import type { ReportCondition } from "./report-sql.ts";
import {
  toDefinition,
  ReportInput,
  ReportBroken,
  ReportId,
  ReportResult,
  ReportTimedOut,
  Source,
} from "./report.ts";
import { groupListing, readRowsAfter } from "./report-rows.ts";
import { runReport, runSavedReport, mapBrokenReport, withSource } from "./run-report.ts";
import { reportStore, type StoredReport } from "./store.ts";

const ById = object({ id: ReportId });
const params = { id: "rpt_01jd0000000000000000000000" };
const fails = [ReportBroken, ReportTimedOut];
const JSON_CHARACTERS_MAX = 20_000;

const narrowing = {
  filter: Type.Optional(
    text(JSON_CHARACTERS_MAX, "A further condition as JSON, which narrows the report's own"),
  ),
};

export const listFields = query({
  id: "reports.fields",
  route: "POST /api/v1/analytics/sources/fields",
  summary: "List the fields that a report over a source can name",
  description: "As the caller sees them. `json` leads on with dots.",
  permission: AnalyticsRead,
  longRunning: true,
  body: object({ source: Source }),
  response: item(
    Type.Array(
      Type.Object(
        { name: Type.String(), type: ReportResult.properties.columns.items.properties.type },
        { title: "ReportField" },
      ),
    ),
  ),
  example: { body: { source: { kind: "records", table: "orders" } } },
  prepare: (platform, { body: { source } }, caller) =>
    withSource({ platform, caller }, source, async ({ fields }) =>
      [...fields].map(([name, { kind }]) => ({ name, type: kind })),
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
  response: item(ReportResult),
  fails: [ReportTimedOut],
  example: {
    body: { source: { kind: "runs" }, groupBy: ["status"], aggregates: [{ fn: "count" }] },
  },
  prepare: (platform, { body }, caller) => runReport({ platform, caller }, toDefinition(body)),
  run: async (_, __, result) => result,
});

export const runReportNow = query({
  id: "reports.run",
  route: "POST /api/v1/analytics/reports/{id}/run",
  aliases: ["GET /api/v1/analytics/reports/{id}/run"],
  summary: "Run a report",
  description:
    "With the rows and fields that the caller may see; who may not see such rows at all is refused.",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  query: object(narrowing),
  response: item(ReportResult),
  fails,
  example: { params, query: { filter: '{"region":"north"}' } },
  prepare: (platform, input, caller) => runById(platform, caller, input),
  run: async (_, __, result) => result,
});

export const exportReport = query({
  id: "reports.export",
  route: "GET /api/v1/analytics/reports/{id}/export",
  aliases: ["POST /api/v1/analytics/reports/{id}/export"],
  summary: "Run a report, and download what it answers as a file",
  description:
    "`csv` (texts that a spreadsheet would take for a formula get a `'` in front), `xlsx` or `json`. " +
    "The rows behind a report, however many, are exported by `POST /api/v1/analytics/exports`.",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  query: object({ ...narrowing, format: Type.Enum([...FORMATS], { default: "csv" }) }),
  response: download(MEDIA_TYPES),
  fails,
  example: { params, query: { format: "xlsx" } },
  async prepare(platform, { params: { id }, query: { format, filter } }, caller) {
    const { columns, rows } = await runById(platform, caller, {
      params: { id },
      query: { filter },
    });
    const described = columns.map(({ name, type }) => ({ name, kind: type }));
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
  summary: "List the rows behind a report, or behind one of its groups, newest first",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  query: object({
    ...pageQuery,
    group: Type.Optional(
      text(
        JSON_CHARACTERS_MAX,
        'The group as JSON, by the columns of the answer: `{"bucket":"2026-01-01T00:00:00.000Z","region":"north"}`. ' +
          "A column that is not named may be anything",
      ),
    ),
  }),
  response: dynamicPage(Type.Record(Type.String(), Type.Unknown())),
  fails,
  example: { params, query: { limit: 50, group: '{"region":"north"}' } },
  async prepare(platform, { params: { id }, query: { limit, after, group = "{}" } }, caller) {
    const { definition, revision } = await reportFor(platform, caller, id);
    const list = JSON.stringify(["rows of a report", id, revision, group]);
    const { cursors } = platform;
    const from = after === undefined ? undefined : cursors.decode(list, after);
    const rows = await mapBrokenReport(() =>
      withSource({ platform, caller }, definition.source, (source, parameters) => {
        const listing = groupListing(
          source,
          definition,
          parameters,
          parseJsonObject(group, "?group"),
        );
        return readRowsAfter({ platform, caller }, listing, from, limit + 1);
      }),
    );
    const data = takeFittingPage(rows.slice(0, limit).map(({ row }) => row));
    const last = rows.length > data.length ? rows[data.length - 1] : undefined;
    return {
      data,
      nextCursor: last ? cursors.encode(list, last.place) : null,
      limit,
    };
  },
  run: async (_, __, answer) => answer,
});

async function runById(
  platform: Platform,
  caller: Caller,
  {
    params: { id },
    query: { filter },
  }: { params: { id: string }; query: { filter?: string | undefined } },
): Promise<ReportResult> {
  const { definition } = await reportFor(platform, caller, id);
  const further: ReportCondition =
    filter === undefined
      ? {}
      : { filter: { condition: parseJsonObject(filter, "?filter"), at: "?filter" } };
  return runSavedReport({ platform, caller }, definition, further);
}

function reportFor(platform: Platform, caller: Caller, id: string): Promise<StoredReport> {
  return platform.db.read(partitionOfCaller(caller), (tx) => reportStore.get(tx, id));
}

function parseJsonObject(json: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    // No row holds a value that PostgreSQL can't store.
    if (
      isObject &&
      sizeProblem(value) === undefined &&
      isDeepStrictEqual(toStorableJson(value), value)
    ) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // Refused below.
  }
  throw invalidField(path, "must be an object in JSON");
}
