import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { ReportTickets, TicketsQuery } from "./report.ts";
import { baseSql, CLOCKS_SQL, type ReportScope, within } from "./report-sql.ts";

/** The tickets behind a number of a report, slowest or newest first. */
export async function listReportTickets(
  { tx, now }: ReadContext,
  scope: ReportScope,
  query: TicketsQuery,
): Promise<ReportTickets> {
  const parameters = new SqlParameters();
  const base = baseSql(scope, parameters);
  const from = parameters.add(scope.period.from, "timestamptz");
  const to = parameters.add(scope.period.to, "timestamptz");
  const at = parameters.add(now, "timestamptz");
  const conditions = [
    // All parameters must be used, for each number.
    `${from} < ${to} and created_at <= ${at}`,
    figureCondition(query, { from, to, parameters }),
    ...narrow(query, { at, parameters }),
  ];
  const until = query.figure === "answered" ? "answered_at" : "ended_at";
  const text = `
    with ${base}, ${CLOCKS_SQL}
    select id, number, title, state, priority, assignee_id as "assigneeId", team_id as "teamId",
           to_jsonb(created_at) #>> '{}' as "createdAt", to_jsonb(ended_at) #>> '{}' as "endedAt",
           extract(epoch from ${until} - created_at)::float8 / 60 as minutes, satisfaction,
           count(*) over ()::int as total
      from base where ${conditions.map((one) => `(${one})`).join(" and ")}
     order by minutes desc nulls last, created_at desc limit ${query.limit}`;
  const rows = await queryRows(tx, text, parameters.values);
  const iso = (value: unknown): string | null =>
    typeof value === "string" ? new Date(value).toISOString() : null;
  const tickets = rows.map(({ total: _, createdAt, endedAt, ...row }) => ({
    ...row,
    createdAt: iso(createdAt),
    endedAt: iso(endedAt),
  }));
  // Columns and schema fields have the same names.
  return { total: Number(rows[0]?.["total"] ?? 0), tickets } as unknown as ReportTickets;
}

interface Window {
  readonly from: string;
  readonly to: string;
  readonly parameters: SqlParameters;
}

function figureCondition(
  { figure, metric }: TicketsQuery,
  { from, to, parameters }: Window,
): string {
  switch (figure) {
    case "created":
      return within("created_at", from, to);
    case "resolved":
      return within("ended_at", from, to);
    case "open":
      return `created_at < ${to} and (is_open and ended_at is null or ended_at >= ${to})`;
    case "answered":
      return `${within("created_at", from, to)} and answered_at is not null`;
    case "reopened":
      return `${within("ended_at", from, to)} and reopened > 0`;
    case "rated":
      return within("rated_at", from, to);
    case "met":
    case "breached": {
      const ofMetric =
        metric === undefined ? "" : ` and metric = ${parameters.add(metric, "text")}`;
      return `id in (select id from clocks where state = '${figure}' and ${within("decided_at", from, to)}${ofMetric})`;
    }
  }
}

function narrow(
  query: TicketsQuery,
  { at, parameters }: { readonly at: string; readonly parameters: SqlParameters },
): readonly string[] {
  const { priority, assigneeId, category, itemId, satisfaction, minAgeDays, maxAgeDays } = query;
  const age = `extract(epoch from ${at} - created_at) / 86400`;
  return [
    priority !== undefined && `priority = ${parameters.add(priority, "int")}`,
    assigneeId === "none" && "assignee_id is null",
    assigneeId !== undefined &&
      assigneeId !== "none" &&
      `assignee_id = ${parameters.add(assigneeId, "text")}`,
    category !== undefined && `category = ${parameters.add(category, "text")}`,
    itemId !== undefined &&
      `id in (select ticket_id from ticket_items where item_id = ${parameters.add(itemId, "text")})`,
    satisfaction !== undefined && `satisfaction = ${parameters.add(satisfaction, "int")}`,
    minAgeDays !== undefined && `${age} >= ${parameters.add(minAgeDays, "int")}`,
    maxAgeDays !== undefined && `${age} < ${parameters.add(maxAgeDays, "int")}`,
  ].filter((condition) => condition !== false);
}
