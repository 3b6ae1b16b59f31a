/** A funnel as one statement: how many reach each step. */
import { invalidField } from "#kernel/operation/failure.ts";
import type { OpenReportSource } from "#kernel/contributions/report-source.ts";
import type { Funnel } from "../definition/funnel.ts";
import { conditionSql, fieldAt, type SqlContext } from "./field.ts";

interface FunnelQuery {
  readonly funnel: Funnel;
  /** The time field of a row; by default its creation time. */
  readonly time: string | undefined;
  /** The conditions of all rows, starting with `where`. */
  readonly base: string;
}

/** One row with a count per step: `s0`, `s1` … */
export function funnelSql(source: OpenReportSource, query: FunnelQuery, ctx: SqlContext): string {
  const { funnel, base } = query;
  const conditions = stepConditions(source, funnel, ctx);
  if (funnel.key === undefined) {
    const counts = conditions.map((_, step) => {
      const all = conditions.slice(0, step + 1).join(" and ");
      return `count(*) filter (where ${all}) as "s${step}"`;
    });
    return `select ${counts.join(", ")} from ${source.from}${base}`;
  }
  const counts = conditions.map((_, step) => `(select count(*) from t${step}) as "s${step}"`);
  return `with ${reachedSql(source, query, ctx, conditions)} select ${counts.join(", ")}`;
}

/** The condition for the rows behind a step. */
export function stepRowsSql(
  source: OpenReportSource,
  query: FunnelQuery,
  ctx: SqlContext,
  step: number,
): string {
  const { funnel } = query;
  const shortened = { ...funnel, steps: funnel.steps.slice(0, step + 1) };
  const conditions = stepConditions(source, shortened, ctx);
  if (funnel.key === undefined) return conditions.join(" and ");
  const { sql } = fieldAt(source.fields, funnel.key, { ...ctx, at: "/funnel/key" });
  const reached = reachedSql(source, { ...query, funnel: shortened }, ctx, conditions);
  return `${conditions.at(-1)} and (${sql}) in (with ${reached} select k from t${step})`;
}

function stepConditions(
  { fields }: OpenReportSource,
  { steps }: Funnel,
  ctx: SqlContext,
): readonly string[] {
  return steps.map(
    ({ filter }, index) =>
      `(${conditionSql(filter, { ...ctx, fields, at: `/funnel/steps/${index}/filter` })})`,
  );
}

/** The keys that reached each step, with the first time: a step counts only after the time of the previous one. */
function reachedSql(
  source: OpenReportSource,
  { funnel: { key = "" }, time = source.time, base }: FunnelQuery,
  ctx: SqlContext,
  conditions: readonly string[],
): string {
  if (time === undefined) throw invalidField("/period/field", "is required to order the steps");
  const at = fieldAt(source.fields, time, { ...ctx, at: "/period/field" });
  if (at.kind !== "time" && at.kind !== "date")
    throw invalidField("/period/field", `${time} is not a time field`);
  const { sql } = fieldAt(source.fields, key, { ...ctx, at: "/funnel/key" });
  const marks = conditions.map((condition, step) => `${condition} as "m${step}"`).join(", ");
  const rows = `s as (select ${sql} as k, ${at.sql} as t, ${marks} from ${source.from}${base})`;
  const steps = conditions.map((_, step) => {
    if (step === 0)
      return "t0 as (select k, min(t) as t from s where m0 and k is not null group by k)";
    return (
      `t${step} as (select s.k, min(s.t) as t from s join t${step - 1} as b on b.k = s.k and s.t >= b.t ` +
      `where s.m${step} group by s.k)`
    );
  });
  return [rows, ...steps].join(", ");
}
