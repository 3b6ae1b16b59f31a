/**
 * The node types that ask what people have saved: a query, a report. Each answers as whoever deployed the workflow may
 * see.
 */
import Type from "typebox";
import { line, object, text } from "#kernel/schema/schema.ts";
import { nodeType } from "../node-type.ts";

const ROWS_MAX = 10_000;

export const savedQuery = nodeType({
  type: "query",
  summary: "Asks a saved query; its output has the rows",
  config: object({
    queryId: line(100),
    params: Type.Optional(
      Type.Union(
        [Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown(), { maxItems: 100 })],
        { description: "The values of its parameters, by name or in their order" },
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX })),
  }),
  form: {
    title: "Ask a saved query",
    group: "Data",
    icon: "database-zap",
    first: { queryId: "" },
    fields: {
      queryId: { title: "Query", reference: "query" },
      params: { title: "Parameters", example: { since: "{{ trigger.input.since }}" } },
      limit: { title: "Rows at most" },
    },
  },
  output: Type.Object({
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    truncated: Type.Boolean({ description: "True when there are more rows" }),
  }),
  branches: "none",
  effect: "outside",
  inside: true,
});

export const savedReport = nodeType({
  type: "report",
  summary: "Runs a saved report; its output has the rows",
  config: object({
    reportId: line(100),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "A further condition, which narrows the report's own",
      }),
    ),
    from: Type.Optional(line(100, "The beginning of the period: a time, or `-7d`")),
    to: Type.Optional(line(100, "Its end; now unless given")),
    timezone: Type.Optional(text(100, "Of relative times; the report's unless given")),
  }),
  form: {
    title: "Run a report",
    group: "Data",
    icon: "chart-column",
    first: { reportId: "" },
    fields: {
      reportId: { title: "Report", reference: "report" },
      filter: { title: "Filter", example: { region: "{{ trigger.input.region }}" } },
      from: { title: "From", placeholder: "-7d" },
      to: { title: "To" },
      timezone: { title: "Time zone", placeholder: "Europe/Berlin" },
    },
  },
  output: Type.Object({
    columns: Type.Array(Type.Unknown()),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  }),
  branches: "none",
  effect: "outside",
  inside: true,
});
