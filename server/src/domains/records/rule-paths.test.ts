import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCondition } from "#kernel/condition/condition.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent", "auditor"]);

const REGIONS = [
  { name: "north", tier: 1, open: true },
  { name: "south", tier: 2, open: false },
  { name: "none", tier: null, open: null },
];
const CUSTOMERS = [
  { name: "Ada", region: 0, meta: { vip: true }, tags: ["a"] },
  { name: "Bo", region: 1, meta: { vip: false }, tags: [] },
  { name: "Cy", region: 2, meta: null, tags: ["a", "b"] },
  { name: null, region: null, meta: {}, tags: null },
];
/** The customers of the orders by index; null for an order without a customer. */
const ORDERS = [0, 1, 2, 3, null, 0];

type Body = Readonly<Record<string, unknown>>;

async function make(slug: string, columns: readonly object[], records: readonly Body[]) {
  await owner("POST /api/v1/tables", { name: slug, slug, columns });
  const ids: string[] = [];
  for (const record of records) {
    const { status, body } = await owner(`POST /api/v1/tables/${slug}/records`, record);
    expect(body.errors ?? status).toBe(201);
    ids.push(body.data.id);
  }
  return ids;
}

const to = (table: string) => ({ type: "reference", options: { table } });
const regions = await make(
  "regions",
  [
    { name: "name", type: "text" },
    { name: "tier", type: "integer" },
    { name: "open", type: "boolean" },
  ],
  REGIONS,
);
const customers = await make(
  "customers",
  [
    { name: "name", type: "text" },
    { name: "region", ...to("regions") },
    { name: "meta", type: "json" },
    { name: "tags", type: "multi_enum", options: { values: ["a", "b"] } },
    // The path has the same name as a column of the generated SQL, but another target.
    { name: "doc", type: "json" },
  ],
  CUSTOMERS.map((one) => ({
    ...one,
    doc: { customer: "rec_none" },
    region: one.region === null ? null : regions[one.region],
  })),
);
const columns = [
  { name: "title", type: "text" },
  { name: "customer", ...to("customers") },
];
const orders = await make(
  "orders",
  columns,
  ORDERS.map((place, n) => ({
    title: `order ${n}`,
    customer: place === null ? null : customers[place],
  })),
);
const PATH = "/api/v1/tables/orders/records";

const setRules = async (rules: readonly object[]) => {
  const { status, body } = await owner("PATCH /api/v1/tables/orders", { rules });
  expect(body.errors ?? status).toBe(200);
};
const numbersOf = (ids: readonly string[]) =>
  ids
    .filter((id) => orders.includes(id))
    .map((id) => orders.indexOf(id))
    .toSorted();

/** Asserts that list, search and other reads return the same orders to an agent, and returns these. */
async function seen() {
  const list = (await agent(`GET ${PATH}?limit=50`)).body.data.map(({ id }: any) => id);
  const now = world.clock.now().toISOString();
  const pastList = (await agent(`GET ${PATH}?limit=50&asOf=${now}`)).body.data?.map(
    ({ id }: any) => id,
  );
  const query = await agent("POST /api/v1/queries/run", { sql: "select id from orders" });
  const events = (await agent("GET /api/v1/audit?type=record.created&limit=200")).body.data
    .map(({ resource }: any) => resource.id)
    .filter((id: string) => orders.includes(id));
  const each = async (route: (id: string) => string) => {
    const found: string[] = [];
    for (const id of orders) if ((await agent(route(id))).status === 200) found.push(id);
    return found;
  };
  return {
    list: numbersOf(list),
    pastList: numbersOf(pastList ?? ["none"]),
    query: numbersOf(query.body.data.rows.map((row: any) => row.id ?? row[0])),
    events: numbersOf(events),
    read: numbersOf(await each((id) => `GET ${PATH}/${id}`)),
    comments: numbersOf(await each((id) => `GET ${PATH}/${id}/comments`)),
    past: numbersOf(await each((id) => `GET ${PATH}/${id}?asOf=${now}`)),
  };
}

/** The orders that match a condition, computed on orders with embedded customers and regions. */
function expected(where: object): number[] {
  const holds = compileCondition({ ...where });
  return ORDERS.flatMap((place, n) => {
    const found = place === null ? null : CUSTOMERS[place];
    const region = found?.region ?? null;
    const customer = found && { ...found, region: region === null ? null : REGIONS[region] };
    return holds({ title: `order ${n}`, customer }) ? [n] : [];
  });
}

const leaf = fc.constantFrom<object>(
  { "customer.name": "Ada" },
  { "customer.name": { ne: "Ada" } },
  { "customer.name": null },
  { "customer.name": { in: ["Bo", "Cy"] } },
  { "customer.name": { startsWith: "A" } },
  { "customer.region.name": { nin: ["north"] } },
  { "customer.region.tier": { gte: 2 } },
  { "customer.region.tier": { exists: false } },
  { "customer.region.open": true },
  { "customer.meta.vip": { eq: true } },
  { "customer.meta.vip": { ne: true } },
  { "customer.tags": { contains: "a" } },
  { title: "order 5" },
);
const condition = fc.letrec<{ tree: object; leaf: object }>((tie) => ({
  leaf,
  tree: fc.oneof(
    { maxDepth: 2 },
    tie("leaf"),
    fc.record({ not: tie("tree") }),
    fc.record({ or: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ and: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
  ),
})).tree;

describe("paths through references in rules", () => {
  test("SQL, in-memory evaluation and events agree with the expected result", async () => {
    await fc.assert(
      fc.asyncProperty(condition, async (where) => {
        await setRules([{ roles: ["agent"], actions: ["read"], where }]);
        const numbers = expected(where);
        expect(await seen()).toEqual({
          list: numbers,
          pastList: numbers,
          query: numbers,
          events: numbers,
          read: numbers,
          comments: numbers,
          past: numbers,
        });
      }),
      { numRuns: tries(8, 200), endOnFailure: true },
    );
  });

  test("writes are checked against the referenced record, before and after the change", async () => {
    const where = { "customer.region.name": "north" };
    await setRules([
      { roles: ["agent"], actions: ["read"] },
      { roles: ["agent"], actions: ["create", "update", "delete"], where },
    ]);
    const [ada, bo] = customers;
    const attempt = async (route: string, body?: object) => {
      const { status, events } = await agent(route, body);
      return [status, ...events];
    };
    expect(await attempt(`POST ${PATH}`, { customer: bo })).toEqual([403]);
    expect(await attempt(`POST ${PATH}`, {})).toEqual([403]);
    const { body } = await agent(`POST ${PATH}`, { customer: ada });
    const path = `${PATH}/${body.data.id}`;
    expect(await attempt(`PATCH ${path}`, { title: "mine" })).toEqual([200, "record.updated"]);
    expect(await attempt(`PATCH ${path}`, { customer: bo })).toEqual([403]);
    expect(await attempt(`PATCH ${PATH}/${orders[1]}`, { customer: ada })).toEqual([403]);
    const edits = [{ id: body.data.id, set: { customer: bo } }];
    expect(await attempt(`POST ${PATH}/edits`, { edits })).toEqual([403]);
    const set = { title: "all" };
    expect(await attempt(`PATCH ${PATH}/bulk`, { filter: { title: "order 1" }, set })).toEqual([
      403,
    ]);
    expect(await attempt(`PATCH ${PATH}/bulk`, { filter: { title: "mine" }, set })).toEqual([
      200,
      "record.updated",
    ]);
    expect(await attempt(`POST ${PATH}/bulk`, { records: [{ customer: ada }] })).toEqual([
      201,
      "record.created",
    ]);
    expect(await attempt(`DELETE ${PATH}/${orders[1]}`)).toEqual([403]);
    expect(await attempt(`DELETE ${path}`)).toEqual([204, "record.deleted"]);
  });

  test("the visibility of a field depends on the referenced record", async () => {
    await setRules([
      { roles: ["agent"], actions: ["read"], fields: ["customer"] },
      {
        roles: ["agent"],
        actions: ["read"],
        where: { "customer.name": "Ada" },
        fields: ["title"],
      },
    ]);
    const titles = (records: any[]) => records.map(({ title }) => title);
    const { body } = await agent(`GET ${PATH}?sort=createdAt&limit=6`);
    expect(titles(body.data)).toEqual(["order 0", null, null, null, null, "order 5"]);
    const events = await agent(`GET /api/v1/audit?type=record.created&resourceId=${orders[1]}`);
    expect(titles(events.body.data.map(({ data }: any) => data))).toEqual([null]);
  });

  test("a change of the referenced record affects later reads, and old events of a deleted one are hidden", async () => {
    const where = { not: { "customer.region.name": "south" } };
    await setRules([{ roles: ["agent"], actions: ["read"], where }]);
    await owner(`PATCH /api/v1/tables/regions/records/${regions[1]}`, { name: "east" });
    expect((await seen()).events).toContain(1);
    await owner(`PATCH /api/v1/tables/regions/records/${regions[1]}`, { name: "south" });
    const hidden = await seen();
    expect(Object.values(hidden).some((numbers) => numbers.includes(1))).toBe(false);
    await owner(`PATCH ${PATH}/${orders[1]}`, { customer: null });
    await owner(`DELETE /api/v1/tables/customers/records/${customers[1]}`);
    const events = await agent(`GET /api/v1/audit?type=record.created&resourceId=${orders[1]}`);
    expect(events.body.data).toEqual([]);
    expect((await seen()).list).toContain(1);
  });

  test("a rule follows renamed columns of other tables, and prevents dropping them", async () => {
    const where = { "customer.region.name": "north" };
    await setRules([{ roles: ["agent"], actions: ["read"], where }]);
    const change = (slug: string, body: object) => owner(`PATCH /api/v1/tables/${slug}`, body);
    const renamed = await change("regions", { renameColumns: { name: "label" } });
    expect(renamed.events).toEqual(["table.updated", "table.updated"]);
    const { body } = await owner("GET /api/v1/tables/orders");
    expect(body.data.rules[0].where).toEqual({ "customer.region.label": "north" });
    expect((await seen()).list).toEqual([0, 5]);
    const dropped = await change("regions", { dropColumns: ["label"] });
    expect([dropped.status, dropped.body.code, dropped.events]).toEqual([
      409,
      "column_in_rule",
      [],
    ]);
    expect((await change("customers", { dropColumns: ["region"] })).body.code).toBe(
      "column_in_rule",
    );
    const rules = (path: string) => [
      { roles: ["agent"], actions: ["read"], where: { [path]: "x" } },
    ];
    for (const path of ["customer.nothing", "customer.region", "title.name", "nobody.name"]) {
      const { status } = await change("orders", { rules: rules(path) });
      expect([path, status]).toEqual([path, path === "customer.region" ? 200 : 422]);
    }
  });

  test("a rule of a referenced table is evaluated along its entire path, at any depth", async () => {
    const chain = [...Array(8).keys()];
    let up: string | undefined;
    for (const n of chain.toReversed()) {
      const next = n < 7 ? [{ name: "up", ...to(`chain${n + 1}`) }] : [];
      const far = { name: "far", type: "lookup", options: { path: "up.up.up.name" } };
      const fields = [{ name: "name", type: "text" }, ...next, ...(n === 0 ? [far] : [])];
      [up] = await make(`chain${n}`, fields, [{ name: `link ${n}`, ...(up && { up }) }]);
    }
    const seenFar = async (where: object) => {
      const rules = [{ roles: ["agent"], actions: ["read"], where }];
      expect((await owner("PATCH /api/v1/tables/chain3", { rules })).status).toBe(200);
      return (await agent("GET /api/v1/tables/chain0/records")).body.data[0].far;
    };
    expect(await seenFar({ "up.up.up.up.name": "link 7" })).toBe("link 3");
    expect(await seenFar({ "up.up.up.up.name": { ne: "link 7" } })).toBe(null);
  });

  test("events from before a column was a reference are hidden from members with a path rule", async () => {
    const [a, b] = await make(
      "firms",
      [{ name: "name", type: "text" }],
      [{ name: "A" }, { name: "B" }],
    );
    const links = { type: "links", options: { table: "firms" } };
    const [deal] = await make(
      "deals",
      [
        { name: "title", type: "text" },
        { name: "firm", ...links },
      ],
      [{ title: "one", firm: [a] }],
    );
    const path = `/api/v1/tables/deals/records/${deal}`;
    for (const firm of [[a, b], [], [b]]) await owner(`PATCH ${path}`, { firm });
    const { body } = await owner("PATCH /api/v1/tables/deals", {
      alterColumns: [{ name: "firm", ...to("firms") }],
      rules: [{ roles: ["agent"], actions: ["read"], where: { "firm.name": { ne: "A" } } }],
    });
    expect(body.data.columns.at(-1)).toMatchObject({ name: "firm", type: "reference" });
    await owner(`PATCH ${path}`, { title: "two" });
    const told = await agent(`GET /api/v1/audit?resourceId=${deal}`);
    expect(told.status).toBe(200);
    expect(told.body.data[0].data.after).toMatchObject({ title: "two", firm: b });
    expect(JSON.stringify(told.body)).not.toContain(a);
    const asOf = world.clock.now().toISOString();
    const past = await agent(`GET /api/v1/tables/deals/records?asOf=${asOf}`);
    expect(past.body.data.map(({ title }: any) => title)).toEqual(["two"]);
  });
});
