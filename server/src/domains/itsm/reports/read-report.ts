import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters, type SqlRow } from "#kernel/db/statement.ts";
import { findPersonNames } from "../contacts/index.ts";
import { toCourse } from "./course.ts";
import type { Period } from "./period.ts";
import type { DeskReport, Figures } from "./report.ts";
import { baseSql, CLOCKS_SQL, type ReportScope, within } from "./report-sql.ts";

const LINES_MAX = 20;
const CELLS_MAX = 200;
const AGES = [0, 1, 3, 7, 30, 90] as const;

/** Reads all numbers in one statement, so that they are consistent. */
export async function readReport(
  { tx, now, caller }: ReadContext,
  scope: ReportScope,
  timezone: string,
): Promise<DeskReport> {
  const { period, kind } = scope;
  const parameters = new SqlParameters();
  const base = baseSql(scope, parameters);
  const [from, to, since] = [period.from, period.to, period.beforeFrom].map((at) =>
    parameters.add(at, "timestamptz"),
  ) as [string, string, string];
  const parts: Readonly<Record<string, string>> = {
    now: figuresSql(from, to),
    before: figuresSql(since, from),
    course: courseSql(period, { from, to, zone: parameters.add(timezone, "text") }),
    ages: AGES_SQL(parameters.add(now, "timestamptz")),
    promises: promisesSql(from, to),
    agents: agentsSql(from, to),
    teams: teamsSql(from, to),
    categories: categoriesSql(since, from, to),
    services: caller.permissions.has("cmdb:read") ? servicesSql(from, to) : NOTHING_SQL,
    stars: starsSql(from, to),
  };
  const columns = Object.entries(parts).map(
    ([name, text]) =>
      `(select coalesce(jsonb_agg(to_jsonb(x)), '[]') from (${text}) x) as "${name}"`,
  );
  const [row = {}] = await queryRows(
    tx,
    `with ${base}, ${CLOCKS_SQL} select ${columns.join(", ")}`,
    parameters.values,
  );
  const list = (name: string): readonly SqlRow[] => (row[name] ?? []) as readonly SqlRow[];
  const nameOf = await nameLookup(tx, [...list("agents"), ...list("teams"), ...list("promises")]);
  const named = ({ id, ...rest }: SqlRow) => ({ id: id ?? null, name: nameOf(id), ...rest });
  const figures = list("now")[0] as unknown as Figures;
  // Columns and schema fields have the same names. The response is validated.
  return {
    kind: kind.kind,
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    unit: period.unit,
    now: figures,
    before: list("before")[0],
    course: toCourse(list("course"), period, figures.open),
    ages: AGES.map((fromDays, index) => {
      const found = list("ages").find(({ place }) => Number(place) === index);
      const toDays = AGES[index + 1] ?? null;
      return { fromDays, toDays, open: found?.["open"] ?? 0, late: found?.["late"] ?? 0 };
    }),
    promises: list("promises").map(({ id, ...rest }) => ({
      team: { id: id ?? null, name: nameOf(id) },
      ...rest,
    })),
    agents: list("agents").map(named),
    teams: list("teams").map(named),
    categories: list("categories"),
    services: list("services"),
    stars: list("stars"),
  } as unknown as DeskReport;
}

const minutes = (until: string): string => `extract(epoch from ${until} - created_at)::float8 / 60`;

const percentile = (share: number, until: string, condition: string): string =>
  `percentile_cont(${share}) within group (order by ${minutes(until)}) filter (where ${condition})`;

function figuresSql(from: string, to: string): string {
  const [created, ended] = [within("created_at", from, to), within("ended_at", from, to)];
  const answered = `${created} and answered_at is not null`;
  const decided = within("decided_at", from, to);
  return `
    select count(*) filter (where ${created})::int as created,
           count(*) filter (where ${ended})::int as resolved,
           count(*) filter (where created_at < ${to}
             and (is_open and ended_at is null or ended_at >= ${to}))::int as open,
           ${percentile(0.5, "answered_at", answered)} as "responseMedian",
           ${percentile(0.9, "answered_at", answered)} as "responseP90",
           ${percentile(0.5, "ended_at", ended)} as "resolutionMedian",
           ${percentile(0.9, "ended_at", ended)} as "resolutionP90",
           count(*) filter (where ${ended} and reopened > 0)::int as reopened,
           (select count(*) from clocks where state = 'met' and ${decided})::int as met,
           (select count(*) from clocks where state = 'breached' and ${decided})::int as breached,
           count(*) filter (where ${within("rated_at", from, to)})::int as ratings,
           (avg(satisfaction) filter (where ${within("rated_at", from, to)}))::float8 as satisfaction
      from base`;
}

/** The trend of a period. A cancelled ticket counts as created but never as resolved or open. */
function courseSql(
  { unit }: Period,
  { from, to, zone }: { readonly from: string; readonly to: string; readonly zone: string },
): string {
  const bucket = (column: string): string =>
    `date_trunc('${unit}', ${column} at time zone ${zone})`;
  return `
    select b.local as at, b.local at time zone ${zone} as "from",
           (b.local + interval '1 ${unit}') at time zone ${zone} as "to",
           coalesce(c.created, 0) as created, coalesce(c.lasting, 0) as lasting,
           coalesce(e.resolved, 0) as resolved
      from generate_series(${bucket(from)}, ${to} at time zone ${zone}, interval '1 ${unit}') b (local)
      left join (select ${bucket("created_at")} as local, count(*)::int as created,
                        count(*) filter (where is_open or ended_at is not null)::int as lasting
                   from base where ${within("created_at", from, to)} group by 1) c using (local)
      left join (select ${bucket("ended_at")} as local, count(*)::int as resolved
                   from base where ${within("ended_at", from, to)} group by 1) e using (local)
     order by b.local`;
}

const AGES_SQL = (now: string): string => `
  select width_bucket(extract(epoch from ${now} - created_at)::float8 / 86400,
                      array[${AGES.join(", ")}]::float8[]) - 1 as place,
         count(*)::int as open, count(*) filter (where due_at <= ${now})::int as late
    from base where is_open group by 1`;

const promisesSql = (from: string, to: string): string => `
  select team_id as id, priority, metric,
         count(*) filter (where state = 'met')::int as met,
         count(*) filter (where state = 'breached')::int as breached
    from clocks where ${within("decided_at", from, to)}
   group by team_id, priority, metric order by count(*) desc limit ${CELLS_MAX}`;

const agentsSql = (from: string, to: string): string => `
  select assignee_id as id, count(*) filter (where is_open)::int as open,
         count(*) filter (where ${within("ended_at", from, to)})::int as resolved,
         ${percentile(0.5, "ended_at", within("ended_at", from, to))} as "resolutionMedian",
         count(*) filter (where ${within("rated_at", from, to)})::int as ratings,
         (avg(satisfaction) filter (where ${within("rated_at", from, to)}))::float8 as satisfaction
    from base where is_open or ${within("ended_at", from, to)}
   group by assignee_id order by resolved desc, open desc limit ${LINES_MAX}`;

const teamsSql = (from: string, to: string): string => `
  select team_id as id, count(*) filter (where is_open)::int as open,
         count(*) filter (where ${within("created_at", from, to)})::int as created,
         count(*) filter (where ${within("ended_at", from, to)})::int as resolved,
         ${percentile(0.5, "ended_at", within("ended_at", from, to))} as "resolutionMedian"
    from base
   where is_open or ${within("created_at", from, to)} or ${within("ended_at", from, to)}
   group by team_id order by created desc, open desc limit ${LINES_MAX}`;

const categoriesSql = (since: string, from: string, to: string): string => `
  select category, count(*) filter (where created_at >= ${from})::int as created,
         count(*) filter (where created_at < ${from})::int as before
    from base where ${within("created_at", since, to)} and category is not null
   group by category order by created desc, before desc limit ${LINES_MAX}`;

const servicesSql = (from: string, to: string): string => `
  select i.id, i.name, count(*)::int as created
    from base b join ticket_items ti on ti.ticket_id = b.id join cmdb_items i on i.id = ti.item_id
   where ${within("b.created_at", from, to)}
   group by i.id, i.name order by created desc, i.name limit ${LINES_MAX}`;

const NOTHING_SQL = "select null where false";

const starsSql = (from: string, to: string): string => `
  select satisfaction, count(*)::int as ratings from base
   where ${within("rated_at", from, to)} and satisfaction is not null
   group by satisfaction order by satisfaction`;

/** People and teams by id. Deleted ones have no name. */
async function nameLookup(tx: ReadContext["tx"], rows: readonly SqlRow[]) {
  const ids = [...new Set(rows.flatMap(({ id }) => (typeof id === "string" ? [id] : [])))];
  const people = await findPersonNames(tx, ids);
  const teamIds = ids.filter((id) => id.startsWith("tem_"));
  const teams =
    teamIds.length === 0
      ? []
      : await tx.selectFrom("teams").select(["id", "name"]).where("id", "in", teamIds).execute();
  const names = new Map([...people, ...teams.map(({ id, name }) => [id, name] as const)]);
  return (id: unknown): string | null => (typeof id === "string" ? (names.get(id) ?? null) : null);
}
