/** The tables of a shop with its orders, and an app, a query and a dashboard about them. */
import { type Ask, dataOf } from "../../faults/asker.ts";
import { Dice } from "../../fuzz/dice.ts";
import { make, made } from "./made.ts";

const DAY_MS = 86_400_000;
const DAYS = 60;
const ORDERS = 700;
const BATCH = 350;
const SEED = 7;
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
const MORE = ["two stools", "a wall lamp", "a shelf", "cushions"];
const REGIONS = ["North", "South", "East", "West"];
const STATES = ["new", "packed", "shipped", "paid", "returned"];
const NEW_STATES = ["new", "new", "packed"];
/** Most orders of last week and before are paid. */
const LATER_STATES = ["shipped", "shipped", "paid", "paid", "paid", "paid", "returned"];

/** The locations of these resources. */
export interface ShopPlaces {
  readonly appId: string;
  readonly queryId: string;
  readonly dashboardId: string;
}

export async function createShop(ask: Ask): Promise<ShopPlaces> {
  await createTables(ask);
  return {
    appId: await createApp(ask),
    queryId: await saveQuery(ask),
    dashboardId: await createDashboard(ask),
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
          { name: "number", type: "autonumber", options: { start: 2410 } },
          { name: "customer", type: "reference", options: { table: "customers" } },
          { name: "region", type: "enum", options: { values: REGIONS } },
          { name: "status", type: "enum", options: { values: STATES } },
          { name: "total", type: "decimal", options: { scale: 2 } },
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
  const dice = new Dice(SEED);
  for (let begun = 0; begun < ORDERS; begun += BATCH) {
    const records = Array.from({ length: BATCH }, (_, n) => orderOf(begun + n, customers, dice));
    dataOf(await ask("POST /api/v1/tables/orders/records/bulk", { body: { records } }), 201);
  }
  await make(ask, "table-views", {
    table: "orders",
    name: "Newest",
    kind: "grid",
    sort: "-number",
    hidden: ["note"],
    widths: { number: 120 },
    shared: true,
    columns: ["number", "title", "customer", "status", "total", "region", "orderedOn", "express"],
  });
  await make(ask, "table-views", {
    table: "orders",
    name: "By status",
    kind: "board",
    groupBy: "status",
    shared: true,
  });
  await createNeighbours(ask);
}

/** Reproducible, so that a repeated screenshot only shows real changes. */
function orderOf(n: number, customers: readonly string[], dice: Dice): object {
  const daysAgo = Math.floor(DAYS * (1 - (n + dice.between(0, 2)) / (ORDERS + 3)));
  return {
    title: dice.chance(0.6) ? dice.pick(GOODS) : `${dice.pick(GOODS)} and ${dice.pick(MORE)}`,
    customer: dice.pick(customers),
    region: dice.pick(REGIONS),
    status: dice.pick(daysAgo < 1 ? NEW_STATES : LATER_STATES),
    total: 80 + dice.between(0, 900) + n / 4 + dice.between(0, 99) / 100,
    orderedOn: new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10),
    express: dice.chance(0.2),
  };
}

/** Additional tables for the diagram, each with its references. */
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

async function createApp(ask: Ask): Promise<string> {
  const scaffold = dataOf<object>(
    await ask("POST /api/v1/apps/scaffold", { body: { table: "orders" } }),
    200,
  );
  const body = { name: "Orders", slug: "orders", ...scaffold };
  const { id } = made(await ask("POST /api/v1/apps", { body }));
  dataOf(await ask(`POST /api/v1/apps/${id}/deploy`, { body: {} }), 201);
  return id;
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
