import type { Api } from "./api.ts";
import type { Endpoint } from "./endpoint.ts";

/** The resources used by the load. */
export interface Furniture {
  readonly userId: string;
  readonly login: { readonly email: string; readonly password: string };
  readonly recordIds: string[];
  readonly incidentIds: string[];
  readonly runIds: string[];
  readonly hooks: { readonly transform: string; readonly script: string; readonly http: string };
  readonly webhookId: string;
  readonly reportId: string;
  readonly dashboardId: string;
  readonly appId: string;
  readonly nodeId: string;
}

const COLUMNS = [
  { name: "number", type: "text", required: true },
  { name: "status", type: "text", indexed: true },
  { name: "amount", type: "decimal" },
];
const FIRST_RECORDS = 400;

/** Creates a table, workflows, a webhook, a report, a dashboard, an app and a scheduled job. */
export async function furnish(
  api: Api,
  login: Furniture["login"],
  endpoint: Endpoint,
): Promise<Furniture> {
  const session = await api.must("POST /api/v1/auth/token", login);
  api.token = session.token;
  const me = await api.must("GET /api/v1/auth/me");
  const token = await api.must("POST /api/v1/auth/tokens", {
    name: "Soak",
    expiresIn: "90d",
    scopes: me.permissions,
  });
  api.token = token.token;
  await api.must("POST /api/v1/tables", { name: "Orders", slug: "orders", columns: COLUMNS });
  const webhook = await api.must("POST /api/v1/webhooks", {
    name: "Everything about orders",
    url: endpoint.hookUrl,
    events: ["record.*", "incident.*", "orders.*"],
  });
  const first = Array.from({ length: FIRST_RECORDS }, (_, n) => orderOf(n));
  const made = await api.must("POST /api/v1/tables/orders/records/bulk", { records: first });
  const printer = { title: "Printer", impact: 2, urgency: 2 };
  const incident = await api.must("POST /api/v1/itsm/incidents", printer);
  const hooks = await deployAll(api, endpoint);
  const { runId } = await api.must(`POST ${hooks.transform}`, { prices: [1] });
  return {
    userId: me.user.id,
    login,
    recordIds: idsOf(made),
    incidentIds: [incident.id],
    runIds: [runId],
    hooks,
    webhookId: webhook.id,
    ...(await furnishAnalytics(api)),
    appId: await furnishApp(api),
    nodeId: await furnishScripts(api),
  };
}

/** A valid record for the table. */
export function orderOf(n: number): Record<string, unknown> {
  return { number: `ORD-${n}`, status: ["open", "paid", "sent"][n % 3], amount: n % 1_000 };
}

/** The ids in the response of a bulk. */
export function idsOf(answer: any): string[] {
  return (answer as readonly { readonly id: string }[]).map(({ id }) => id);
}

async function deployAll(api: Api, { stepUrl }: Endpoint): Promise<Furniture["hooks"]> {
  const deploy = async (name: string, node: object, trigger: object = { type: "webhook" }) => {
    const definition = { name, trigger, nodes: [node], edges: [] };
    const { id } = await api.must("POST /api/v1/workflows", definition);
    const { trigger: live } = await api.must(`POST /api/v1/workflows/${id}/publish`, {});
    return live.url === undefined ? "" : new URL(live.url).pathname;
  };
  const call = { method: "POST", url: stepUrl, body: { run: "{{ run.id }}" } };
  await deploy(
    "On orders",
    { id: "sum", type: "transform", config: { expression: "$sum([1..10])" } },
    { type: "event_bus", topic: "orders", eventType: "order.placed" },
  );
  return {
    transform: await deploy("Transform", {
      id: "sum",
      type: "transform",
      config: {
        expression:
          "{ 'total': $sum(trigger.input.body.prices), 'n': $count(trigger.input.body.prices) }",
      },
    }),
    script: await deploy("Script", {
      id: "double",
      type: "script",
      config: {
        source: "return { twice: 2 * input.n };",
        input: { n: "{{ trigger.input.body.n }}" },
      },
    }),
    http: await deploy("Call", { id: "call", type: "http", config: call }),
  };
}

async function furnishAnalytics(api: Api): Promise<{ reportId: string; dashboardId: string }> {
  const report = await api.must("POST /api/v1/analytics/reports", {
    name: "Orders by status",
    source: { kind: "records", table: "orders" },
    groupBy: ["status"],
    aggregates: [{ fn: "count" }, { fn: "sum", field: "amount", as: "turnover" }],
  });
  const dashboard = await api.must("POST /api/v1/analytics/dashboards", {
    name: "Orders",
    widgets: [
      {
        title: "By status",
        kind: "report",
        reportId: report.id,
        layout: { x: 0, y: 0, w: 8, h: 4 },
      },
    ],
  });
  return { reportId: report.id, dashboardId: dashboard.id };
}

async function furnishApp(api: Api): Promise<string> {
  const app = await api.must("POST /api/v1/apps", {
    name: "Order desk",
    slug: "desk",
    dataSources: [{ name: "orders", kind: "table", config: { table: "orders", limit: 20 } }],
    pages: [
      {
        path: "/",
        title: "Orders",
        components: [
          { type: "stat", label: "Open", value: '{{ $count(data.orders[status = "open"]) }}' },
          { type: "table", dataSource: "orders" },
        ],
      },
    ],
  });
  await api.must(`POST /api/v1/apps/${app.id}/deploy`, { notes: "First" });
  return app.id;
}

async function furnishScripts(api: Api): Promise<string> {
  await api.must("POST /api/v1/sdk/scheduled-jobs", {
    name: "each_minute",
    moduleKey: "soak",
    status: "active",
    detail: { cron: "* * * * *", scriptSource: "return { done: true };" },
  });
  const node = await api.must("POST /api/flowsdk/artifacts", {
    name: "double",
    artifactType: "workflow_node",
    detail: { scriptSource: "return { twice: 2 * input.n };" },
  });
  return node.id;
}
