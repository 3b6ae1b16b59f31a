export const reports = [
  {
    name: "Workflow runs by outcome",
    description: "Number of runs by result and day",
    source: { kind: "runs" },
    filter: { test: false },
    timeBucket: { field: "createdAt", unit: "day" },
    groupBy: ["status"],
    aggregates: [{ fn: "count", as: "runs" }],
    chart: { type: "bar" },
  },
  {
    name: "Failing workflows",
    description: "Failed runs and run durations by workflow",
    source: { kind: "runs" },
    filter: { status: "failed", test: false },
    groupBy: ["workflowName"],
    aggregates: [
      { fn: "count", as: "failures" },
      { fn: "percentile", field: "durationMs", p: 0.95, as: "p95DurationMs" },
    ],
    sort: "-failures",
    chart: { type: "table" },
  },
  {
    name: "Webhook health",
    description: "Deliveries by webhook and status",
    source: { kind: "deliveries" },
    groupBy: ["webhookName", "status"],
    aggregates: [
      { fn: "count", as: "deliveries" },
      { fn: "avg", field: "lastDurationMs", as: "averageMs" },
    ],
    chart: { type: "bar" },
  },
];

export const dashboards = [
  {
    name: "Automation",
    description: "Health of automations",
    widgets: [
      {
        title: "Runs by outcome",
        kind: "report",
        report: "Workflow runs by outcome",
        layout: { x: 0, y: 0, w: 8, h: 4 },
      },
      {
        title: "Failing workflows",
        kind: "report",
        report: "Failing workflows",
        layout: { x: 8, y: 0, w: 4, h: 4 },
      },
      {
        title: "Webhooks",
        kind: "report",
        report: "Webhook health",
        layout: { x: 0, y: 4, w: 12, h: 4 },
      },
    ],
  },
];

export const queries = [
  {
    name: "Assets by category and status",
    description: "Number and cost of assets",
    sql: `select category, status, count(*) as assets, sum(cost) as cost
  from assets
 group by category, status
 order by category, status`,
  },
  {
    name: "Expiring warranties",
    description: "Assets in use with a warranty that ends before a date",
    sql: `select a.tag, a.name, a."warrantyUntil", v.name as vendor
  from assets a
  left join vendors v on v.id = a.vendor
 where a.status <> 'retired' and a."warrantyUntil" <= $1
 order by a."warrantyUntil"`,
    parameters: [{ name: "before", type: "date" }],
  },
  {
    name: "Spending by vendor",
    description: "Cost of all assets by vendor",
    sql: `select v.name as vendor, v.status, count(a.id) as assets, coalesce(sum(a.cost), 0) as cost
  from vendors v
  left join assets a on a.vendor = v.id
 group by v.id, v.name, v.status
 order by cost desc`,
  },
];
