/** From a number to its rows. */
import Type, { type Static } from "typebox";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { takeFittingPage } from "#kernel/operation/pagination.ts";
import { line } from "#kernel/schema/schema.ts";
import { Period, spanBefore } from "./definition/period.ts";
import type { Definition } from "./report.ts";
import { readReportClock, withSource } from "./run-report.ts";
import { groupListing, type Mark, readRowsAfter } from "./sql/report-rows.ts";
import { type ReportCondition, resolveSpan } from "./sql/report-sql.ts";

/** Identifies the number. */
export const markQuery = {
  measure: Type.Optional(
    line(100, "The value to drill into: returns only rows that match its filter"),
  ),
  before: Type.Optional(Type.Boolean({ description: "Whether to use the comparison period" })),
};

/** A period that replaces the report's own. */
export const periodQuery = {
  from: Type.Optional(Period.properties.from),
  to: Period.properties.to,
  timezone: Type.Optional(
    line(100, "Time zone of relative times. Default: the time zone of the report"),
  ),
};

type PeriodQuery = { readonly [K in keyof typeof periodQuery]?: string | undefined };

export function toPeriod({ from, to }: PeriodQuery): ReportCondition {
  if (from === undefined) {
    if (to !== undefined) throw invalidField("?to", "needs from");
    return {};
  }
  return { period: { from, ...(to !== undefined && { to }) } };
}

/** A definition with the time zone of its reader. */
export function withZone(definition: Definition, timezone: string | undefined): Definition {
  return timezone === undefined ? definition : { ...definition, timezone };
}

interface Drill {
  /** The list name in cursors. */
  readonly list: string;
  readonly page: { readonly limit: number; readonly after?: string | undefined };
  readonly mark: Mark;
  readonly before: Static<NonNullable<(typeof markQuery)["before"]>>;
  readonly timezone: string | undefined;
}

/** A page of the rows behind a number, limited to those the caller may see. */
export async function listRowsBehind(
  request: ReportRequest,
  definition: Definition,
  { list, page: { limit, after }, mark, before, timezone }: Drill,
) {
  const { cursors } = request.platform;
  const zoned = withZone(definition, timezone);
  const { narrowing = {} } = mark;
  const clock = await readReportClock(request, zoned, narrowing);
  const span = resolveSpan(zoned, narrowing, clock);
  if (before === true && (!span || zoned.compare === undefined))
    throw invalidField("?before", "requires a report with a comparison");
  const then =
    before === true && span && zoned.compare !== undefined
      ? { span: spanBefore(span, zoned.compare, clock.timezone) }
      : {};
  const from = after === undefined ? undefined : cursors.decode(list, after);
  const rows = await withSource(request, zoned.source, (source, parameters) => {
    const listing = groupListing(
      source,
      zoned,
      { parameters, clock },
      {
        ...mark,
        narrowing: { ...narrowing, ...then },
      },
    );
    return readRowsAfter(request, listing, from, limit + 1);
  });
  const data = takeFittingPage(rows.slice(0, limit).map(({ row }) => row));
  const last = rows.length > data.length ? rows[data.length - 1] : undefined;
  return { data, nextCursor: last ? cursors.encode(list, last.place) : null, limit };
}
