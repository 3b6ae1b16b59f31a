/** The parts of a number's calculation. */
import Type, { type Static } from "typebox";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { AnalyticsWrite } from "../permissions.ts";
import { withZone } from "./drill.ts";
import { type FilterBar, toBarCondition } from "./definition/filter-bar.ts";
import { ResolvedPeriod, spanBefore } from "./definition/period.ts";
import { type Definition, Source } from "./report.ts";
import { readReportClock, compileWhole, withSource } from "./run-report.ts";
import { sourceType } from "./source.ts";
import { resolveSpan, splitBar } from "./sql/report-sql.ts";

const Conditions = nullable(Type.Record(Type.String(), Type.Unknown()));

export const ReportExplanation = Type.Object(
  {
    source: Source,
    about: Type.String({ description: "Description of the rows" }),
    filter: Conditions,
    barFilter: Conditions,
    notFiltered: Type.Array(Type.String()),
    period: nullable(ResolvedPeriod),
    before: nullable(ResolvedPeriod),
    rights: Type.Object({
      permission: Type.String(),
      limited: Type.Boolean({
        description: "Whether access rules hide some of the rows from you",
      }),
    }),
    at: Time,
    sql: nullable(Type.String({ description: "Null if you can't view it" })),
  },
  { title: "ReportExplanation" },
);

const RULES_EDITOR = "tables:write";

/** Explains a report as the caller would see it now. */
export async function explainDefinition(
  request: ReportRequest,
  definition: Definition,
  bar: FilterBar,
): Promise<Static<typeof ReportExplanation>> {
  const zoned = withZone(definition, bar.timezone);
  const narrowing = toBarCondition(bar);
  const clock = await readReportClock(request, zoned, narrowing);
  const { timezone } = clock;
  const span = resolveSpan(zoned, narrowing, clock);
  const then = span && zoned.compare && spanBefore(span, zoned.compare, timezone);
  const { kind, summary, permission } = sourceType(request.platform, zoned.source);
  const { permissions } = request.caller;
  return withSource(request, zoned.source, async (source, parameters) => {
    const { text, values } = compileWhole(source, zoned, { parameters, clock }, narrowing);
    const { applied, skipped } = splitBar(source, zoned, narrowing);
    const limited = source.where !== undefined;
    const maySeeSql =
      permissions.has(AnalyticsWrite.name) && (!limited || permissions.has(RULES_EDITOR));
    const show = ({ from, to }: { from: Date; to: Date }) => ({
      from: from.toISOString(),
      to: to.toISOString(),
      timezone,
    });
    return {
      source: zoned.source,
      about: summary || kind,
      filter: zoned.filter,
      barFilter: Object.keys(applied).length > 0 ? applied : null,
      notFiltered: [...skipped],
      period: span && !skipped.includes("period") ? show(span) : null,
      before: then ? show(then) : null,
      rights: { permission: permission.name, limited },
      at: clock.now.toISOString(),
      sql: maySeeSql ? inlineValues(text, values) : null,
    };
  });
}

/** Inlines the parameters of a statement, for display only. */
function inlineValues(text: string, values: readonly unknown[]): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => toLiteral(values[Number(number) - 1]));
}

function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const words = value instanceof Date ? value.toISOString() : value;
  const plain = typeof words === "string" ? words : JSON.stringify(words);
  return `'${plain.replaceAll("'", "''")}'`;
}
