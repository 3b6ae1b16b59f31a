const incidents = { kind: "tickets", entity: "incident" };

export const reports = [
  {
    name: "Mean time to resolve",
    description: "Minutes from raising an incident to resolving it, by week and priority",
    source: incidents,
    filter: { resolvedAt: { exists: true } },
    timeBucket: { field: "resolvedAt", unit: "week" },
    groupBy: ["priority"],
    aggregates: [
      { fn: "avg", field: "resolutionMinutes", as: "meanMinutes" },
      { fn: "percentile", field: "resolutionMinutes", p: 0.9, as: "p90Minutes" },
      { fn: "count", as: "incidents" },
    ],
    chart: { type: "line" },
  },
  {
    name: "SLA targets met",
    description: "Share of SLA targets met, by policy and metric",
    source: { kind: "sla_clocks" },
    filter: { state: { in: ["met", "breached"] } },
    groupBy: ["policyName", "metric"],
    aggregates: [
      { fn: "avg", field: "met", as: "shareMet" },
      { fn: "count", as: "targets" },
    ],
    chart: { type: "bar" },
  },
  {
    name: "Backlog by age",
    description: "Open incidents by their age in days and their priority",
    source: incidents,
    filter: { state: { in: ["new", "in_progress", "on_hold"] } },
    groupBy: ["ageDays", "priority"],
    aggregates: [{ fn: "count", as: "incidents" }],
    sort: "-ageDays",
    chart: { type: "bar" },
  },
  {
    name: "Changes by outcome",
    description: "Share of successful changes by month",
    source: { kind: "tickets", entity: "change" },
    filter: { outcome: { exists: true } },
    timeBucket: { field: "createdAt", unit: "month" },
    groupBy: ["outcome"],
    aggregates: [{ fn: "count", as: "changes" }],
    chart: { type: "bar" },
  },
  {
    name: "Requests by state",
    description: "Requests and their states",
    source: { kind: "tickets", entity: "request" },
    groupBy: ["state"],
    aggregates: [{ fn: "count", as: "requests" }],
    chart: { type: "pie" },
  },
];

export const dashboards = [
  {
    name: "Service desk",
    description: "Open tickets, time to resolve and SLA targets",
    widgets: [
      {
        title: "Time to resolve",
        kind: "report",
        report: "Mean time to resolve",
        layout: { x: 0, y: 0, w: 6, h: 4 },
      },
      {
        title: "Target times",
        kind: "report",
        report: "SLA targets met",
        layout: { x: 6, y: 0, w: 6, h: 4 },
      },
      {
        title: "Backlog",
        kind: "report",
        report: "Backlog by age",
        layout: { x: 0, y: 4, w: 4, h: 4 },
      },
      {
        title: "Changes",
        kind: "report",
        report: "Changes by outcome",
        layout: { x: 4, y: 4, w: 4, h: 4 },
      },
      {
        title: "Requests",
        kind: "report",
        report: "Requests by state",
        layout: { x: 8, y: 4, w: 4, h: 4 },
      },
    ],
  },
];

export const queries = [
  {
    name: "On call at a time",
    description: "Who is paged for each service at a given time",
    sql: `select service, level, person, "startsAt", "endsAt"
  from on_call_shifts
 where "startsAt" <= $1 and "endsAt" > $1
 order by service, level`,
    parameters: [{ name: "at", type: "timestamp" }],
  },
  {
    name: "Pages by service and week",
    description: "Number of pages and missed pages by service",
    sql: `select service, date_trunc('week', created_at) as week, count(*) as pages,
       count(*) filter (where status = 'unanswered') as unanswered
  from pages
 group by service, week
 order by week desc, service`,
  },
];
