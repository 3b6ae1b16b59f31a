/** The most expensive valid inputs, which schemas cannot describe. */
import { deployedApp } from "#domains/apps/testing/apps.ts";
import type { Ask } from "#kernel/testing/world.ts";

export interface HeavyInput {
  readonly name: string;
  readonly route: string;
  readonly body?: unknown;
  readonly status: number;
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const TEXTS = times(12, (n) => `t${n}`);

const AGGREGATES = times(20, (n) => ({ fn: "count", as: `v${n}`, filter: { n: { gt: n } } }));

const WIDE_REPORT = {
  source: { kind: "records", table: "large" },
  groupBy: ["id", "name", "t0", "t1", "t2"],
  aggregates: AGGREGATES,
  limit: 10_000,
};

const COMPARED = {
  ...WIDE_REPORT,
  period: { field: "at", from: "2020-01-01", to: "2040-01-01" },
  compare: "period",
};

const HOURLY = {
  source: { kind: "records", table: "large" },
  groupBy: ["t0"],
  timeBucket: { field: "at", unit: "hour", fill: true },
  aggregates: AGGREGATES,
  limit: 10_000,
};

const layers = (userId: string, count: number) =>
  times(count, (n) => ({
    name: `Layer ${n}`,
    userIds: [userId],
    turn: { unit: "hour", count: 1 },
    startsOn: "1990-01-01",
    handOver: "00:30",
    hours: times(14, (hour) => ({
      days: [1, 2, 3, 4, 5, 6, 7],
      from: `${String(hour).padStart(2, "0")}:0${n}`,
      to: `${String(hour).padStart(2, "0")}:59`,
    })),
  }));

const POLICY = {
  name: "Slow",
  entity: "incident",
  targets: times(20, (n) => ({ metric: "custom", name: `Target ${n}`, minutes: 525_600 - n })),
  calendar: {
    timezone: "America/New_York",
    hours: [{ days: [1], from: "00:00", to: "00:01" }],
    holidays: times(1_000, (n) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10)),
  },
};

const EDGES = times(500, (to) =>
  [1, 2, 3].flatMap((back) => (to >= back ? [{ from: `n${to - back}`, to: `n${to}` }] : [])),
).flat();

const workflow = (nodes: number, text: string) => ({
  name: "Large",
  trigger: { type: "manual" },
  nodes: times(nodes, (n) => ({ id: `n${n}`, type: "transform", config: { expression: text } })),
  edges: EDGES,
});

const LONG_NAME = "x".repeat(50);
const MISSPELT = {
  ...workflow(0, ""),
  nodes: times(500, (n) => ({
    id: `${LONG_NAME}${String(n).padStart(3, "0")}`,
    type: "transform",
    config: { expression: times(5, () => `steps.${LONG_NAME}abcd${n}.output`).join(" & ") },
  })),
  edges: [],
};

/** Every step names all misspelt names in one text. */
const MISSPELT_IN_ONE = {
  ...MISSPELT,
  nodes: MISSPELT.nodes.map((node, n) => ({
    ...node,
    config: {
      expression:
        n === 0 ? times(3_000, (at) => `steps.${LONG_NAME}ab${at}.output`).join(" & ") : "1",
    },
  })),
};

/** The heavy inputs of a workspace. */
export async function heavyInputs(owner: Ask & { readonly userId: string }): Promise<HeavyInput[]> {
  const post = (name: string, route: string, body: unknown, status = 200): HeavyInput => ({
    name,
    route: `POST /api/v1/${route}`,
    body,
    status,
  });
  const saved = { name: "Hours", timeZone: "America/New_York", layers: layers(owner.userId, 1) };
  const rota = await owner("POST /api/v1/itsm/on-call-schedules", saved);
  const span = { from: "2026-01-01T00:00:00Z", until: "2026-03-31T00:00:00Z" };
  const shifts = `/api/v1/itsm/on-call-schedules/${rota.body.data.id}/shifts`;
  const dashboard = await owner("POST /api/v1/analytics/dashboards", {
    name: "Large",
    widgets: times(8, (n) => ({
      title: `Widget ${n}`,
      kind: "report",
      report: { ...WIDE_REPORT, limit: 10_000 - n },
      layout: { x: 0, y: n, w: 6, h: 4 },
    })),
  });
  const { slug } = await deployedApp(owner, {
    dataSources: [{ name: "rows", kind: "table", config: { table: "large" } }],
    pages: [
      {
        path: "/",
        title: "Tables",
        components: times(40, (n) => ({
          id: `table${n}`,
          type: "table",
          dataSource: "rows",
          pageSize: 100,
          columns: TEXTS.map((field) => ({ field, label: field })),
        })),
      },
    ],
  });
  const sql = `select ${TEXTS.join(", ")} from large`;
  const cells = times(600, (n) => `g + ${n}`).join(", ");
  return [
    post("a report of many columns", "analytics/reports/preview", WIDE_REPORT),
    post("a report with totals", "analytics/reports/preview", {
      ...WIDE_REPORT,
      groupBy: ["id", "name"],
      aggregates: [{ fn: "count" }],
      totals: true,
    }),
    post("a pivot with totals", "analytics/reports/preview", {
      ...WIDE_REPORT,
      groupBy: ["id", "name"],
      pivot: ["name"],
      totals: true,
    }),
    post("a report that is compared", "analytics/reports/preview", COMPARED),
    post("a report with filled gaps", "analytics/reports/preview", HOURLY),
    post("rows behind a report", "analytics/reports/preview/rows?limit=200", {
      report: WIDE_REPORT,
    }),
    {
      name: "a dashboard",
      route: `GET /api/v1/analytics/dashboards/${dashboard.body.data.id}/data`,
      status: 200,
    },
    { name: "an app of many tables", route: `GET /apps/default/${slug}`, status: 200 },
    {
      name: "the state of an app",
      route: `POST /apps/default/${slug}/_state`,
      body: { page: "/", inputs: {} },
      status: 200,
    },
    post("the rows of a query", "queries/run", { sql, limit: 10_000 }),
    post("many cells of a query", "queries/run", {
      sql: `select ${cells} from generate_series(1, 10000) g`,
      limit: 10_000,
      // The test is about the event loop; other tests may keep the database busy.
      timeoutMs: 30_000,
    }),
    post("a preview of on-call turns", "itsm/on-call-schedules/preview", {
      ...span,
      timeZone: "America/New_York",
      layers: layers(owner.userId, 1),
    }),
    post(
      "a preview of too many on-call turns",
      "itsm/on-call-schedules/preview",
      { ...span, layers: layers(owner.userId, 5) },
      422,
    ),
    {
      name: "the shifts of a schedule",
      route: `GET ${shifts}?${new URLSearchParams(span).toString()}`,
      status: 200,
    },
    { name: "who is on call", route: "GET /api/v1/itsm/on-call?limit=200", status: 200 },
    post("an SLA simulation", "itsm/sla-policies/simulate", {
      limit: 5_000,
      policy: {
        ...POLICY,
        calendar: {
          ...POLICY.calendar,
          hours: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "24:00" }],
        },
      },
    }),
    post(
      "an SLA simulation with a far target",
      "itsm/sla-policies/simulate",
      {
        limit: 5_000,
        policy: POLICY,
      },
      422,
    ),
    post("a workflow of many nodes", "workflows/validate", workflow(500, "steps.n0.output")),
    post("a workflow of too many nodes", "workflows/validate", workflow(2_000, "steps.n0.output")),
    post("a workflow of misspelt names in one text", "workflows/validate", MISSPELT_IN_ONE),
    post("a workflow of misspelt names", "workflows/validate", MISSPELT),
  ];
}
