/** Builds the relation `base` for ticket reports, with a column for every counted property. */
import type { SqlParameters } from "#kernel/db/statement.ts";
import type { TicketKind, TicketKindName } from "../tickets/index.ts";
import type { Period } from "./period.ts";

interface Columns {
  /** The end of its work. */
  readonly ended: string;
  readonly category: string;
  readonly reopened: string;
  readonly satisfaction: string;
  readonly ratedAt: string;
}

const NONE = {
  category: "null::text",
  reopened: "0",
  satisfaction: "null::int",
  ratedAt: "null::timestamptz",
};
const COLUMNS: Readonly<Record<TicketKindName, Columns>> = {
  incident: {
    ended: "k.resolved_at",
    category: "k.category",
    reopened: "k.reopen_count",
    satisfaction: "k.satisfaction",
    ratedAt: "k.rated_at",
  },
  request: {
    ...NONE,
    ended: "case when k.state = 'fulfilled' then k.ended_at end",
    satisfaction: "k.satisfaction",
    ratedAt: "k.rated_at",
  },
  problem: { ...NONE, ended: "k.resolved_at" },
  change: { ...NONE, ended: "coalesce(k.completed_at, k.rolled_back_at)" },
};

export interface ReportScope {
  readonly kind: TicketKind;
  readonly period: Period;
  readonly teamId: string | undefined;
}

/**
 * Tickets that are open, or with an event since the start of the previous period. A response is the first public
 * comment by someone other than the requester.
 */
export function baseSql({ kind, period, teamId }: ReportScope, parameters: SqlParameters): string {
  const { ended, category, reopened, satisfaction, ratedAt } = COLUMNS[kind.kind];
  const since = parameters.add(period.beforeFrom, "timestamptz");
  const until = parameters.add(period.to, "timestamptz");
  const ofTeam =
    teamId === undefined
      ? "true"
      : teamId === "none"
        ? "t.team_id is null"
        : `t.team_id = ${parameters.add(teamId, "text")}`;
  return `
    base as materialized (
      select t.id, t.number, t.title, t.state, t.is_open, t.priority, t.assignee_id, t.team_id,
             t.due_at, t.created_at, ${ended} as ended_at, ${category} as category,
             ${reopened} as reopened, ${satisfaction} as satisfaction, ${ratedAt} as rated_at,
             (select min(c.created_at) from ticket_comments c
               where c.ticket_id = t.id and not c.internal
                 and c.created_by is distinct from coalesce(t.caller_id, t.created_by)) as answered_at
        from tickets t join ${kind.table} k on k.id = t.id
       where t.kind = ${parameters.add(kind.kind, "text")} and ${ofTeam}
         and t.created_at < ${until}
         and (t.is_open or t.created_at >= ${since} or ${ended} >= ${since} or ${ratedAt} >= ${since}))`;
}

/** The decided SLA targets of these tickets, with the decision time. */
export const CLOCKS_SQL = `
  clocks as materialized (
    select b.id, b.team_id, b.priority, c.metric, c.state,
           case c.state when 'met' then c.stopped_at else c.breached_at end as decided_at
      from base b join sla_clocks c on c.ticket_id = b.id
     where c.state in ('met', 'breached'))`;

/** SQL condition: a column is within a period. */
export function within(column: string, from: string, to: string): string {
  return `${column} >= ${from} and ${column} < ${to}`;
}
