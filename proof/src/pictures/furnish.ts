/** A workspace as a shop and its IT have it after some weeks, for pictures that show screens at work. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, type Ask, dataOf } from "../faults/asker.ts";
import { Dice } from "../fuzz/dice.ts";

const DAY_MS = 86_400_000;
const DAYS = 60;
const ORDERS = 700;
const BATCH = 350;
const CUSTOMERS = [
  "Berg & Sons",
  "Cordis",
  "Delta Freight",
  "Elm Studio",
  "Fjord Foods",
  "Grace Hopper Ltd",
  "Hamilton Freight",
  "Noether Rings",
  "Turing Works",
  "Ada Lovelace & Daughters",
];
const GOODS = ["Chair", "Oak desk", "Wall lamp", "Rug 200×300", "Side table", "Monitor arm"];
const REGIONS = ["North", "South", "East", "West"];
const STATES = ["new", "packed", "shipped", "paid", "returned"];
/** Most orders of last week and before are paid. */
const LATER_STATES = ["packed", "shipped", "shipped", "paid", "paid", "paid", "paid", "returned"];

type Id = { readonly id: string };

/** Where the pictures find what they show. */
export interface Places {
  readonly dashboardId: string;
  readonly queryId: string;
  readonly appId: string;
  readonly connectorId: string;
  readonly webhookId: string;
  readonly endpointId: string;
  readonly itemId: string;
}

const made = <T = Id>(answer: Answer): T => dataOf<T>(answer, 201);

export async function furnish(ask: Ask, stack: AsyncDisposableStack): Promise<Places> {
  await createTables(ask);
  const { appId } = await createApp(ask);
  const queryId = await saveQuery(ask);
  const dashboardId = await createDashboard(ask);
  const { webhookId, endpointId } = await sendEvents(ask);
  return {
    appId,
    queryId,
    dashboardId,
    webhookId,
    endpointId,
    connectorId: await callConnector(ask, stack),
    itemId: await createItems(ask),
  };
}

async function createTables(ask: Ask): Promise<void> {
  made(
    await ask("POST /api/v1/tables", {
      body: {
        name: "Customers",
        slug: "customers",
        columns: [
          { name: "name", type: "text", required: true },
          { name: "region", type: "enum", options: { values: REGIONS } },
        ],
      },
    }),
  );
  const customers: string[] = [];
  for (const [index, name] of CUSTOMERS.entries()) {
    const body = { name, region: REGIONS[index % REGIONS.length] };
    customers.push(made(await ask("POST /api/v1/tables/customers/records", { body })).id);
  }
  made(
    await ask("POST /api/v1/tables", {
      body: {
        name: "Orders",
        slug: "orders",
        columns: [
          { name: "title", type: "text", required: true },
          { name: "number", type: "autonumber" },
          { name: "customer", type: "reference", options: { table: "customers" } },
          { name: "region", type: "enum", options: { values: REGIONS } },
          { name: "status", type: "enum", options: { values: STATES } },
          { name: "total", type: "decimal" },
          { name: "orderedOn", type: "date" },
          { name: "express", type: "boolean" },
          { name: "note", type: "text" },
        ],
        rules: [
          {
            roles: ["agent"],
            actions: ["read", "update"],
            where: { status: { in: ["new", "packed"] } },
          },
          {
            roles: ["viewer"],
            actions: ["read"],
            fields: ["title", "number", "customer", "status", "orderedOn"],
          },
          { roles: ["builder"], actions: ["read", "create", "update", "delete"] },
        ],
      },
    }),
  );
  for (let begun = 0; begun < ORDERS; begun += BATCH) {
    const records = Array.from({ length: BATCH }, (_, n) => orderOf(begun + n, customers));
    dataOf(await ask("POST /api/v1/tables/orders/records/bulk", { body: { records } }), 201);
  }
  await createNeighbours(ask);
}

/** The same in each run: a picture that is taken again differs by what has changed alone. */
function orderOf(n: number, customers: readonly string[]): object {
  const dice = new Dice(n);
  const daysAgo = Math.floor(DAYS * (1 - (n + dice.between(0, 2)) / (ORDERS + 3)));
  return {
    title: `${dice.pick(GOODS)} ${200 + (n % 60)}`,
    customer: dice.pick(customers),
    region: dice.pick(REGIONS),
    status: dice.pick(daysAgo < 3 ? STATES.slice(0, 2) : LATER_STATES),
    total: 80 + dice.between(0, 900) + n / 4,
    orderedOn: new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10),
    express: dice.chance(0.2),
  };
}

/** Tables beside the orders, so that a diagram has something to draw: each names those that it refers to. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  Products: [],
  Suppliers: [],
  Warehouses: [],
  Lines: ["orders", "products"],
  Invoices: ["orders", "customers"],
  Payments: ["invoices"],
  Shipments: ["orders", "warehouses"],
  Returns: ["orders", "products"],
  Stock: ["products", "warehouses"],
  Purchases: ["suppliers", "products"],
  Contacts: ["customers"],
  Contracts: ["suppliers"],
};

async function createNeighbours(ask: Ask): Promise<void> {
  for (const [name, tables] of Object.entries(NEIGHBOURS)) {
    const references = tables.map((table) => ({
      name: table.slice(0, -1),
      type: "reference",
      options: { table },
    }));
    const columns = [
      { name: "name", type: "text" },
      { name: "amount", type: "decimal" },
      ...references,
    ];
    made(await ask("POST /api/v1/tables", { body: { name, slug: name.toLowerCase(), columns } }));
  }
}

async function createApp(ask: Ask): Promise<{ appId: string }> {
  const scaffold = dataOf<object>(
    await ask("POST /api/v1/apps/scaffold", { body: { table: "orders" } }),
    200,
  );
  const body = { name: "Orders", slug: "orders", ...scaffold };
  const { id } = made(await ask("POST /api/v1/apps", { body }));
  dataOf(await ask(`POST /api/v1/apps/${id}/deploy`, { body: {} }), 201);
  return { appId: id };
}

async function saveQuery(ask: Ask): Promise<string> {
  const sql = `select date_trunc('week', "orderedOn")::date as week, sum(total) as turnover
from orders
where "orderedOn" >= $1
group by 1 order by 1`;
  const since = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const parameters = [{ name: "since", type: "date", default: since }];
  const body = { name: "Turnover by week", sql, parameters };
  return made(await ask("POST /api/v1/queries", { body })).id;
}

const source = { kind: "records", table: "orders" };
const sum = (name: string) => [{ fn: "sum", field: "total", as: name }];
const tile = (title: string, [x, y, w, h]: readonly number[], report: object) => ({
  title,
  kind: "report",
  layout: { x, y, w, h },
  report: { source, ...report },
});

async function createDashboard(ask: Ask): Promise<string> {
  const count = [{ fn: "count", as: "orders" }];
  const period = { field: "orderedOn", from: "$now-30d" };
  const byDay = { field: "orderedOn", unit: "day" };
  const byWeek = { field: "orderedOn", unit: "week" };
  const widgets = [
    tile("Revenue", [0, 0, 4, 2], {
      aggregates: sum("revenue"),
      chart: { type: "stat" },
      period,
      compare: "period",
    }),
    tile("Orders", [4, 0, 4, 2], {
      aggregates: count,
      chart: { type: "stat" },
      period,
      compare: "period",
    }),
    tile("By region", [8, 0, 4, 3], {
      aggregates: count,
      groupBy: ["region"],
      chart: { type: "bar" },
    }),
    tile("Revenue by day", [0, 2, 8, 4], {
      aggregates: sum("revenue"),
      timeBucket: byDay,
      chart: { type: "area" },
    }),
    tile("Orders by week and status", [0, 6, 12, 4], {
      aggregates: count,
      timeBucket: byWeek,
      groupBy: ["status"],
      chart: { type: "stacked" },
    }),
    tile("By status", [8, 3, 4, 3], {
      aggregates: count,
      groupBy: ["status"],
      chart: { type: "pie" },
    }),
  ];
  const filters = [
    { field: "region", label: "Region" },
    { field: "status", label: "Status" },
  ];
  const body = { name: "Operations", widgets, filters };
  return made(await ask("POST /api/v1/analytics/dashboards", { body })).id;
}

const INCIDENTS = [
  "Card payments fail in the shop",
  "Mail is slow in Lisbon",
  "Printer on floor 3 is offline",
  "VPN drops every ten minutes",
  "Second monitor flickers after docking",
  "Badge reader at the west door is dead",
  "Payroll export is stuck",
  "Laptop does not wake up",
];

/** Incidents that two webhooks tell of: one to a receiver that works, one to a pager that never does. */
async function sendEvents(ask: Ask): Promise<{ webhookId: string; endpointId: string }> {
  const warehouse = await createEndpoint(ask, { name: "Warehouse", answerBody: '{"ok":true}' });
  const pager = await createEndpoint(ask, {
    name: "Pager",
    answerStatus: 503,
    answerBody: '{"error":"database is read-only"}',
  });
  await createWebhook(ask, { name: "All to the warehouse", url: warehouse.url });
  const { id } = await createWebhook(ask, { name: "Incidents to the pager", url: pager.url });
  for (const [index, title] of INCIDENTS.entries()) {
    const body = { title, impact: 1 + (index % 3), urgency: 1 + ((index + 1) % 3) };
    const incident = made(await ask("POST /api/v1/itsm/incidents", { body }));
    const description = "It was moved to the third floor this morning.\nPaper is in.";
    const changed = await ask(`PATCH /api/v1/itsm/incidents/${incident.id}`, {
      body: { description },
    });
    dataOf(changed, 200);
  }
  const isPaused = async () =>
    dataOf<{ status: string }>(await ask(`GET /api/v1/webhooks/${id}`), 200).status === "paused";
  while (!(await isPaused())) await pause(POLL_MS);
  return { webhookId: id, endpointId: warehouse.id };
}

const POLL_MS = 100;

async function createEndpoint(ask: Ask, body: object): Promise<{ id: string; url: string }> {
  return made(await ask("POST /api/v1/test-endpoints", { body }));
}

async function createWebhook(ask: Ask, about: object): Promise<Id> {
  const body = { events: ["incident.*"], retries: 0, ...about };
  return made(await ask("POST /api/v1/webhooks", { body }));
}

async function callConnector(ask: Ask, stack: AsyncDisposableStack): Promise<string> {
  const upstream = createServer((request, response) => {
    const isKnown = request.url !== "/customers/17";
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { name: "Berg & Sons" } : { error: "no such customer" }));
  });
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
  stack.defer(() => void upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const config = { baseUrl: `http://127.0.0.1:${port}` };
  const body = { name: "CRM", type: "http", config, auth: { kind: "none" } };
  const { id } = made(await ask("POST /api/v1/connectors", { body }));
  for (let n = 1; n <= 24; n += 1) {
    const input = { method: "GET", path: `/customers/${n}` };
    await ask(`POST /api/v1/connectors/${id}/invoke`, { body: { action: "request", input } });
  }
  return id;
}

/** Each with what it stands on. */
const ITEMS: Readonly<Record<string, { class: string; on: readonly string[] }>> = {
  "storage-14": { class: "storage", on: [] },
  "server-195": { class: "server", on: ["storage-14"] },
  "server-208": { class: "server", on: ["storage-14"] },
  "orders-db": { class: "database", on: ["server-195"] },
  "crm-db": { class: "database", on: ["server-208"] },
  "stock-db": { class: "database", on: ["server-208"] },
  Shop: { class: "application", on: ["orders-db", "stock-db"] },
  CRM: { class: "application", on: ["crm-db"] },
  Warehouse: { class: "application", on: ["stock-db"] },
  Billing: { class: "application", on: ["orders-db", "crm-db"] },
  "Online sales": { class: "business_service", on: ["Shop", "Billing"] },
  Deliveries: { class: "business_service", on: ["Warehouse"] },
};

async function createItems(ask: Ask): Promise<string> {
  const ids = new Map<string, string>();
  for (const [name, { class: of, on }] of Object.entries(ITEMS)) {
    const body = {
      name,
      class: of,
      key: name.toLowerCase().replaceAll(" ", "-"),
      status: "active",
    };
    const { id } = made(await ask("POST /api/v1/cmdb/items", { body }));
    ids.set(name, id);
    for (const base of on) {
      const relationship = { from: id, to: ids.get(base), type: "depends_on" };
      made(await ask("POST /api/v1/cmdb/relationships", { body: relationship }));
    }
  }
  return ids.get("storage-14") ?? "";
}
