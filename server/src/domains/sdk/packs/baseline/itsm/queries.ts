export const queries = [
  {
    name: "On call at a time",
    description: "Who is paged for each service at a moment",
    sql: `select service, level, person, "startsAt", "endsAt"
  from on_call_shifts
 where "startsAt" <= $1 and "endsAt" > $1
 order by service, level`,
    parameters: [{ name: "at", type: "timestamp" }],
  },
  {
    name: "Pages by service and week",
    description: "How often each service called somebody, and how often nobody came",
    sql: `select service, date_trunc('week', created_at) as week, count(*) as pages,
       count(*) filter (where status = 'unanswered') as unanswered
  from pages
 group by service, week
 order by week desc, service`,
  },
];
