/** The node types for saved queries and reports. Results depend on the rights of the deployer. */
import Type from "typebox";
import { line, object, text } from "#kernel/schema/schema.ts";
import { nodeType } from "../node-type.ts";

const ROWS_MAX = 10_000;

export const savedQuery = nodeType({
  type: "query",
  summary: "Runs a saved query. The output contains the rows",
  config: object({
    queryId: line(100),
    params: Type.Optional(
      Type.Union(
        [Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown(), { maxItems: 100 })],
        { description: "Values of its parameters, by name or in order" },
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX })),
  }),
  form: {
    title: "Run a saved query",
    group: "Data",
    icon: "database-zap",
    first: { queryId: "" },
    fields: {
      queryId: { title: "Query", reference: "query" },
      params: { title: "Parameters", example: { since: "{{ trigger.input.since }}" } },
      limit: { title: "Maximum rows" },
    },
  },
  output: Type.Object({
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    truncated: Type.Boolean({ description: "True if there are more rows" }),
  }),
  branches: "none",
  effect: "outside",
  inside: true,
});

export const savedReport = nodeType({
  type: "report",
  summary: "Runs a saved report. The output contains the rows",
  config: object({
    reportId: line(100),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "An additional condition",
      }),
    ),
    from: Type.Optional(line(100, "Start of the period: a time, or `-7d`")),
    to: Type.Optional(line(100, "End of the period. Default: now")),
    timezone: Type.Optional(
      text(100, "Time zone of relative times. Default: the time zone of the report"),
    ),
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
