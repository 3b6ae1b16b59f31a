/** The filter bar of a dashboard: one period and some conditions for all of its widgets. */
import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { Period } from "./period.ts";
import type { ReportCondition } from "../sql/report-sql.ts";

export const FilterBar = object(
  {
    from: Type.Optional(Period.properties.from),
    to: Period.properties.to,
    timezone: Type.Optional(
      line(100, "Time zone of relative times. Default: the time zone of the workspace"),
    ),
    filter: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        ...ConditionSchema,
        description: "Conditions by field. Fields that the source does not have are ignored",
      }),
    ),
  },
  { title: "ReportFilterBar" },
);
export type FilterBar = Static<typeof FilterBar>;

/** The conditions that a filter bar adds to a report. */
export function toBarCondition({ from, to, filter }: FilterBar): ReportCondition {
  return {
    ...(filter && { bar: filter }),
    ...(from !== undefined && { period: { from, ...(to !== undefined && { to }) } }),
  };
}
