import { beforeAll, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);

const text = (name: string) => ({ name, type: "text" });
const number = (name: string) => ({ name, type: "decimal" });

async function create(slug: string, columns: readonly object[]) {
  const answer = await owner("POST /api/v1/tables", { name: slug, slug, columns });
  expect(answer.body.errors ?? answer.status).toBe(201);
}

async function change(slug: string, body: object) {
  const answer = await owner(`PATCH /api/v1/tables/${slug}`, body);
  expect(answer.body.errors ?? answer.status).toBe(200);
  return answer;
}

async function add(slug: string, record: object): Promise<string> {
  const { status, body } = await owner(`POST /api/v1/tables/${slug}/records`, record);
  expect(body.errors ?? status).toBe(201);
  return body.data.id as string;
}

async function list(slug: string, query: Readonly<Record<string, string>> = {}, ask: Ask = owner) {
  const { status, body } = await ask(
    `GET /api/v1/tables/${slug}/records?${new URLSearchParams({ sort: "id", ...query }).toString()}`,
  );
  expect(body.errors ?? status).toBe(200);
  return body.data as any[];
}

const ids: Record<string, string> = {};

/** Agents can't see closed orders or order costs, and only see the credit of customers. */
beforeAll(async () => {
  await create("customers", [text("name"), number("credit")]);
  await create("products", [text("title"), number("price")]);
  await create("orders", [
    text("label"),
    { name: "customer", type: "reference", options: { table: "customers" } },
    number("total"),
    number("cost"),
    { name: "closed", type: "boolean" },
    { name: "items", type: "links", options: { table: "products", inverse: "orders" } },
  ]);
  await change("customers", {
    rules: [
      { roles: ["agent"], actions: ["read"], fields: ["name", "orders", "sum", "open", "spent"] },
    ],
    addColumns: [
      { name: "orders", type: "backlinks", options: { table: "orders", column: "customer" } },
      { name: "sum", type: "rollup", options: { via: "orders", function: "sum", field: "total" } },
      {
        name: "open",
        type: "rollup",
        options: { via: "orders", function: "count", filter: { closed: false } },
      },
      { name: "spent", type: "rollup", options: { via: "orders", function: "sum", field: "cost" } },
    ],
  });
  const seen = "label customer total closed items gain buyer prices credit".split(" ");
  await change("orders", {
    rules: [{ roles: ["agent"], actions: ["read"], where: { closed: false }, fields: seen }],
    addColumns: [
      { name: "buyer", type: "lookup", options: { path: "customer.name" } },
      { name: "credit", type: "lookup", options: { path: "customer.credit" } },
      { name: "gain", type: "formula", options: { expression: "total - cost" } },
      {
        name: "prices",
        type: "rollup",
        options: { via: "items", function: "max", field: "price" },
      },
    ],
  });
  for (const [name, credit] of [
    ["Ada", 10],
    ["Bo", 20],
    ["Cy", 30],
  ] as const) {
    ids[name] = await add("customers", { name, credit });
  }
  ids["nut"] = await add("products", { title: "nut", price: 0.1 });
  ids["bolt"] = await add("products", { title: "bolt", price: 0.2 });
  const order = (label: string, customer: string | null, rest: object) =>
    add("orders", { label, customer: customer && ids[customer], closed: false, ...rest });
  ids["one"] = await order("one", "Ada", { total: 5, cost: 3, items: [ids["nut"], ids["bolt"]] });
  ids["two"] = await order("two", "Ada", { total: 7, cost: 1, closed: true, items: [ids["bolt"]] });
  ids["three"] = await order("three", "Bo", { total: 9, items: [] });
  ids["four"] = await order("four", null, { total: 2, cost: 2 });
});

test("lookups, rollups, link lists and formulas work like other fields", async () => {
  expect(await list("customers", { fields: "name,orders,sum,open,spent" })).toMatchObject([
    { name: "Ada", orders: [ids["one"], ids["two"]], sum: 12, open: 1, spent: 4 },
    { name: "Bo", orders: [ids["three"]], sum: 9, open: 1, spent: null },
    { name: "Cy", orders: [], sum: null, open: 0, spent: null },
  ]);
  expect(await list("orders")).toMatchObject([
    { buyer: "Ada", credit: 10, gain: 2, prices: 0.2 },
    { buyer: "Ada", credit: 10, gain: 6, prices: 0.2 },
    { buyer: "Bo", credit: 20, gain: null, prices: null },
    { buyer: null, credit: null, gain: 0, prices: null },
  ]);
  const [nut] = await list("products");
  expect(nut.orders).toEqual([ids["one"]]);
  const one = await owner(
    `GET /api/v1/tables/orders/records/${ids["one"]}?fields=label,customer.sum`,
  );
  expect(one.body.data).toEqual({ id: ids["one"], label: "one", "customer.sum": 12 });
});

test("a path through references filters, sorts, pages and counts; a report groups by it", async () => {
  const labels = async (query: Record<string, string>) =>
    (await list("orders", query)).map(({ label }) => label);
  const filter = (condition: object) => ({ filter: JSON.stringify(condition), count: "exact" });
  expect(await labels(filter({ "customer.name": "Ada" }))).toEqual(["one", "two"]);
  expect(await labels(filter({ "customer.name": { ne: "Ada" } }))).toEqual(["three", "four"]);
  expect(await labels(filter({ "customer.sum": { gte: 10 }, gain: { gt: 2 } }))).toEqual(["two"]);
  expect(await labels(filter({ buyer: null }))).toEqual(["four"]);
  expect(await labels({ sort: "-customer.name,label" })).toEqual(["four", "three", "one", "two"]);
  expect(await labels({ sort: "gain,label" })).toEqual(["four", "one", "two", "three"]);
  const first = await owner(
    "GET /api/v1/tables/orders/records?sort=customer.name,label&limit=2&fields=label,customer.name&count=exact",
  );
  expect(first.body.pagination.total).toBe(4);
  const { nextCursor } = first.body.pagination;
  expect(await labels({ sort: "customer.name,label", after: nextCursor })).toEqual([
    "three",
    "four",
  ]);
  expect(await labels({ sort: "-customer.name", offset: "3" })).toEqual(["one"]);
  const report = await owner("POST /api/v1/analytics/reports/preview", {
    source: { kind: "records", table: "orders" },
    groupBy: ["customer.name"],
    aggregates: [{ fn: "sum", field: "gain", as: "gain" }],
    filter: { "customer.name": { exists: true } },
  });
  expect(report.body.errors ?? report.status).toBe(200);
  expect(report.body.data.rows).toEqual([
    { "customer.name": "Ada", gain: 8 },
    { "customer.name": "Bo", gain: null },
  ]);
});

test("computed fields do not reveal hidden records or fields", async () => {
  expect(await list("customers", {}, agent)).toMatchObject([
    { name: "Ada", credit: null, orders: [ids["one"]], sum: 5, open: 1, spent: null },
    { name: "Bo", credit: null, orders: [ids["three"]], sum: 9, open: 1, spent: null },
    { name: "Cy", credit: null, orders: [], sum: null, open: 0, spent: null },
  ]);
  const seen = await list("orders", { fields: "label,buyer,credit,gain,customer.credit" }, agent);
  expect(seen).toMatchObject([
    { label: "one", buyer: "Ada", credit: null, gain: null, "customer.credit": null },
    { label: "three", buyer: "Bo", credit: null, gain: null, "customer.credit": null },
    { label: "four", buyer: null, credit: null, gain: null, "customer.credit": null },
  ]);
  for (const condition of [
    { "customer.credit": { gt: 0 } },
    { gain: { gt: -1_000 } },
    { credit: 10 },
  ]) {
    expect(await list("orders", { filter: JSON.stringify(condition) }, agent)).toEqual([]);
  }
  const sorted = await list("orders", { sort: "customer.credit,label" }, agent);
  expect(sorted.map(({ label }) => label)).toEqual(["four", "one", "three"]);
  const [nut, bolt] = await list("products", {}, agent);
  expect([nut.orders, bolt.orders]).toEqual([[ids["one"]], [ids["one"]]]);
});

test("link fields contain existing records, and lose deleted ones, with events", async () => {
  const path = `/api/v1/tables/orders/records/${ids["two"]}`;
  const gone = "rec_01jd0000000000000000000000";
  expect(await owner(`PATCH ${path}`, { items: [gone] })).toMatchObject({
    status: 422,
    events: [],
    body: { errors: [{ path: "/items" }] },
  });
  const washer = await add("products", { title: "washer", price: 1 });
  const linked = await owner(`PATCH ${path}`, { items: [washer, ids["bolt"]] });
  expect(linked).toMatchObject({ status: 200, events: ["record.updated"] });
  const deleted = await owner(`DELETE /api/v1/tables/products/records/${washer}`);
  expect(deleted).toMatchObject({ status: 204, events: ["record.updated", "record.deleted"] });
  expect((await owner(`GET ${path}`)).body.data.items).toEqual([ids["bolt"]]);
  expect((await owner(`PATCH ${path}`, { gain: 1 })).body.errors).toMatchObject([
    { path: "/gain", message: "is calculated" },
  ]);
});

test.each([
  [{ type: "lookup", options: { path: "customer.nothing" } }, "/addColumns/0/options/path"],
  [{ type: "lookup", options: { path: "label" } }, "/addColumns/0/options/path"],
  [
    { type: "backlinks", options: { table: "orders", column: "label" } },
    "/addColumns/0/options/column",
  ],
  [{ type: "rollup", options: { via: "label", function: "count" } }, "/addColumns/0/options/via"],
  [
    { type: "rollup", options: { via: "items", function: "sum", field: "title" } },
    "/addColumns/0/options/function",
  ],
  [
    { type: "formula", options: { expression: "total + label" } },
    "/addColumns/0/options/expression",
  ],
  [{ type: "formula", options: { expression: "$eval('1')" } }, "/addColumns/0/options/expression"],
  [{ type: "formula", options: { expression: "x" } }, "/addColumns/0/options/expression"],
  [
    { type: "formula", options: { expression: "customer.name" }, indexed: true },
    "/addColumns/0/indexed",
  ],
])("rejects %j with the path of the error", async (column, path) => {
  const answer = await owner("PATCH /api/v1/tables/orders", {
    addColumns: [{ name: "x", ...column }],
  });
  expect(answer).toMatchObject({ status: 422, events: [] });
  expect(answer.body.errors[0].path).toBe(path);
});

test("rejects nested formulas that would become too large, before expanding them", async () => {
  const formula = (name: string, of: string) => ({
    name,
    type: "formula",
    options: { expression: Array.from({ length: 90 }, () => of).join(" + ") },
  });
  const columns = [number("n"), formula("one", "n"), formula("two", "one")];
  const many = await owner("POST /api/v1/tables", {
    name: "many",
    slug: "many",
    columns: [...columns, formula("three", "two"), formula("four", "three")],
  });
  expect([many.status, many.events]).toEqual([422, []]);
  expect(many.body.errors[0]).toMatchObject({ path: "/columns/2/options" });
});

test("rejects a rollup whose filter refers back to it", async () => {
  await create("parts", [
    text("title"),
    { name: "of", type: "links", options: { table: "parts" } },
  ]);
  const count = (name: string, filter: object) => ({
    name,
    type: "rollup",
    options: { via: "of", function: "count", filter },
  });
  const refused = await owner("PATCH /api/v1/tables/parts", {
    addColumns: [count("deep", { deep: { gt: 0 } })],
  });
  expect([refused.status, refused.events]).toEqual([422, []]);
  await change("parts", { addColumns: [count("first", {}), count("deep", { first: { gt: 0 } })] });
  const screw = await add("parts", { title: "Screw" });
  const lid = await add("parts", { title: "Lid", of: [screw] });
  await add("parts", { title: "Box", of: [lid, screw] });
  expect((await list("parts")).map(({ deep }) => deep)).toEqual([0, 0, 1]);
});

test("rollups aggregate computed fields if the type allows it", async () => {
  const formula = (name: string, expression: string) => ({
    name,
    type: "formula",
    options: { expression },
  });
  await create("sums", [number("n"), formula("twice", "n * 2"), formula("isMany", "n > 1")]);
  for (const n of [1, 2]) await add("sums", { n });
  const path = "GET /api/v1/tables/sums/records/summary";
  const { groups } = (await owner(`${path}?by=twice&figures=sum:twice,filled:isMany`)).body.data;
  expect(groups).toEqual([
    { value: 2, count: 1, figures: { "sum:twice": 2, "filled:isMany": 1 } },
    { value: 4, count: 1, figures: { "sum:twice": 4, "filled:isMany": 1 } },
  ]);
  const refused = await owner(`${path}?figures=min:isMany`);
  expect([refused.status, refused.body.errors[0].path]).toEqual([422, "?figures"]);
});

test("computed fields follow a renamed column, across tables, texts and filters", async () => {
  const make = (name: string, type: string, options: object) => ({ name, type, options });
  await create("firms", [text("name"), number("rate")]);
  await create("jobs", [
    text("title"),
    make("firm", "reference", { table: "firms" }),
    make("firmName", "lookup", { path: "firm.name" }),
    make("label", "formula", { expression: '"name: " & firm.name & $string(firm.rate * 2)' }),
  ]);
  await change("firms", {
    addColumns: [
      make("work", "backlinks", { table: "jobs", column: "firm" }),
      make("named", "rollup", { via: "work", function: "count", filter: { "firm.name": "Acme" } }),
    ],
  });
  const acme = await add("firms", { name: "Acme", rate: 3 });
  await add("jobs", { title: "Dig", firm: acme });
  const values = async (): Promise<unknown[]> => {
    const [job] = await list("jobs");
    const [firm] = await list("firms");
    return [job?.["firmName"], job?.["label"], firm?.["named"]];
  };
  expect(await values()).toEqual(["Acme", "name: Acme6", 1]);
  await change("firms", { renameColumns: { name: "called", work: "tasks", rate: "price" } });
  await change("jobs", { renameColumns: { firm: "client" } });
  expect(await values()).toEqual(["Acme", "name: Acme6", 1]);
  const { columns } = (await owner("GET /api/v1/tables/jobs")).body.data;
  expect(columns.map(({ options }: any) => options.path ?? options.expression).slice(2)).toEqual([
    "client.called",
    '"name: " & client.called & $string(client.price * 2)',
  ]);
});

test("rejects a table whose computed fields would make lists too slow", async () => {
  const sum = Array.from({ length: 60 }, () => "n").join(" + ");
  const first = { name: "f0", type: "formula", options: { expression: sum } };
  const heavy = Array.from({ length: 40 }, (_, at) => ({
    name: `f${at + 1}`,
    type: "formula",
    options: { expression: "f0 + f0 + f0 + f0" },
  }));
  const columns = [number("n"), first, ...heavy];
  const { status, body, events } = await owner("POST /api/v1/tables", {
    name: "heavy",
    slug: "heavy",
    columns,
  });
  expect([status, events, body.errors?.[0].message]).toEqual([
    422,
    [],
    "makes the computed fields of the table too slow to list",
  ]);
  const light = await owner("POST /api/v1/tables", {
    name: "heavy",
    slug: "heavy",
    columns: columns.slice(0, 10),
  });
  expect(light.status).toBe(201);
});
