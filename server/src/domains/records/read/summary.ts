/** Computes counts and aggregates, in total or grouped by field values, for grid footers and groups. */
import Type from "typebox";
import { openTable, type OpenTable, Slug } from "#domains/tables/index.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { RecordsRead } from "../permissions.ts";
import { parseRecordQuery, type ParsedRecordQuery, recordQueryParams } from "./record-query.ts";

const GROUPS_MAX = 1_000;
const MEASURES_MAX = 40;
const { filter, q } = recordQueryParams;

/** Aggregates by name, each over a column in SQL; `numbers` accept only numeric columns. */
const FIGURES = {
  sum: { sql: (field: string) => `sum(${field})::float8`, numbers: true },
  average: { sql: (field: string) => `avg(${field})::float8`, numbers: true },
  min: { sql: (field: string) => `min(${field})`, numbers: false },
  max: { sql: (field: string) => `max(${field})`, numbers: false },
  filled: { sql: (field: string) => `count(${field})::float8`, numbers: false },
  unique: { sql: (field: string) => `count(distinct ${field})::float8`, numbers: false },
} as const;

const RecordGroup = Type.Object(
  {
    value: Type.Unknown({
      description: "Value of the field `by`. Null for records without a value",
    }),
    count: Type.Integer(),
    figures: Type.Record(Type.String(), Type.Unknown(), {
      description: "By requested function: `sum:total`",
    }),
  },
  { title: "RecordGroup" },
);

export const summarizeRecords = query({
  id: "records.summarize",
  route: "GET /api/v1/tables/{slug}/records/summary",
  summary: "Count and aggregate records by the values of a field",
  description: `Without \`by\`, returns one group with all matches. Groups are sorted by value, those without a value last; at most ${GROUPS_MAX}. Fields that access rules hide are null.`,
  permission: RecordsRead,
  params: object({ slug: Slug }),
  query: object({
    filter,
    q,
    by: Type.Optional(line(200, "A field")),
    figures: Type.Optional(
      line(
        2_000,
        `Such as \`sum:total,average:total\`. Functions: ${Object.keys(FIGURES).join(", ")}`,
      ),
    ),
  }),
  response: item(
    Type.Object(
      { groups: Type.Array(RecordGroup), isCut: Type.Boolean() },
      { title: "RecordSummary" },
    ),
  ),
  example: { params: { slug: "orders" }, query: { by: "status", figures: "sum:total" } },
  async run(ctx, { params, query: { by, figures = "", ...recordQuery } }) {
    const table = await openTable(ctx, params.slug);
    const { text, values } = await table.parse(() =>
      summaryStatement(table, parseRecordQuery(table, recordQuery, ctx.now), { by, figures }),
    );
    return table.retryOnSchemaChange(async () => {
      const rows = await queryRows(ctx.tx, text, values);
      return {
        groups: rows.slice(0, GROUPS_MAX).map(({ value = null, count, figures: found }) => ({
          value: showValue(table, by, value),
          count: Number(count),
          figures: found as Record<string, unknown>,
        })),
        isCut: rows.length > GROUPS_MAX,
      };
    });
  },
});

function showValue(table: OpenTable, by: string | undefined, value: unknown): unknown {
  const type = by === undefined ? undefined : table.fieldType(by);
  return type && value !== null ? type.show(value) : value;
}

interface SummaryRequest {
  readonly by: string | undefined;
  readonly figures: string;
}

function summaryStatement(
  table: OpenTable,
  { schema, rules, where, parameters }: ParsedRecordQuery,
  { by, figures }: SummaryRequest,
): { readonly text: string; readonly values: readonly unknown[] } {
  const group = by === undefined ? undefined : rules.field(by);
  if (by !== undefined && !group) throw invalidField("?by", "is not a field of this table");
  if (group?.kind === "json")
    throw invalidField("?by", "is a JSON field, which can't be used for groups");
  const measures = parseFigures(table, figures, (name) => rules.field(name)?.sql);
  const pairs = measures.map(({ name, sql }) => `${parameters.add(name, "text")}, ${sql}`);
  const selected = [
    ...(group ? [`${group.sql} as value`] : []),
    "count(*) as count",
    `jsonb_build_object(${pairs.join(", ")}) as figures`,
  ];
  const condition = where === undefined ? "" : ` where ${where}`;
  const grouped = group ? ` group by 1 order by 1 nulls last limit ${GROUPS_MAX + 1}` : "";
  const text = `select ${selected.join(", ")} from ${schema.view}${condition}${grouped}`;
  return { text, values: parameters.values };
}

/** Parses `sum:total,filled:name`. */
function parseFigures(
  table: OpenTable,
  text: string,
  sqlOf: (name: string) => string | undefined,
): readonly { readonly name: string; readonly sql: string }[] {
  const names = [...new Set(text.split(",").filter(Boolean))];
  if (names.length > MEASURES_MAX) {
    throw invalidField("?figures", `must contain at most ${MEASURES_MAX} functions`);
  }
  return names.map((name) => {
    const [figure = "", field = ""] = name.split(":");
    const sql = sqlOf(field);
    if (!Object.hasOwn(FIGURES, figure) || sql === undefined) {
      throw invalidField("?figures", `contains the unknown function "${name}"`);
    }
    const { numbers, sql: toSql } = FIGURES[figure as keyof typeof FIGURES];
    const kind = table.fieldType(field)?.kind;
    if (numbers && kind !== "number")
      throw invalidField("?figures", `contains "${field}", which is not a number field`);
    const isOrdered = kind !== "json" && kind !== "texts" && kind !== "boolean";
    if (!isOrdered && (figure === "min" || figure === "max")) {
      throw invalidField("?figures", `contains "${field}", which can't be sorted`);
    }
    return { name, sql: toSql(sql) };
  });
}
