import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const apply = (items: object, more: object = {}, query = "") =>
  owner(`POST /api/v1/code/apply${query}`, { project: "desk", items, ...more });
const plan = (items: object, more: object = {}) => apply(items, more, "?dryRun=true");
const acts = ({ body }: { body: any }): string[] =>
  (body.data.answer?.body.data ?? body.data).changes.map(
    ({ act, kind, key }: any) => `${act} ${kind}/${key}`,
  );

const items = {
  roles: [{ name: "Night shift", permissions: ["incidents:read"] }],
  tables: [
    {
      slug: "orders",
      name: "Orders",
      columns: [
        { name: "number", type: "text", unique: true },
        { name: "total", type: "decimal" },
      ],
    },
  ],
  queries: [{ name: "Totals", sql: "select sum(total) as total from orders" }],
  workflows: [
    {
      key: "Greet",
      definition: {
        name: "Greet",
        trigger: { type: "manual" },
        nodes: [{ id: "greet", type: "set", config: { values: { hello: "world" } } }],
        edges: [],
      },
    },
  ],
};

test("a folder is planned, applied in one transaction, and has no further changes; users' edits are kept and reported", async () => {
  const planned = await plan(items);
  expect([planned.status, planned.events]).toEqual([200, []]);
  const all = [
    "create roles/Night shift",
    "create tables/orders",
    "create queries/Totals",
    "create workflows/Greet",
  ];
  expect(acts(planned)).toEqual(all);
  const applied = await apply(items);
  expect(acts(applied)).toEqual(all);
  expect(applied.events).toEqual([
    "audit.role.created",
    "table.created",
    "query.created",
    "workflow.created",
    "workflow.version_created",
    "pack.installed",
  ]);
  expect(acts(await plan(items))).toEqual([]);
  const again = await apply(items);
  expect([again.body.data.changed, again.events]).toEqual([0, []]);
  const { body } = await owner("GET /api/v1/queries");
  const { id } = body.data.find(({ name }: any) => name === "Totals");
  await owner(`PATCH /api/v1/queries/${id}`, { description: "By hand" });
  const { queries: _, ...fewer } = items;
  const changed = {
    ...fewer,
    queries: [{ ...items.queries[0], description: "By code" }],
    roles: [{ name: "Night shift", permissions: ["incidents:read", "problems:read"] }],
  };
  expect(acts(await plan(changed))).toEqual(["update roles/Night shift", "kept queries/Totals"]);
  expect(acts(await plan(changed, { onEdited: "overwrite" }))).toEqual([
    "update roles/Night shift",
    "update queries/Totals",
  ]);
  const prune = { onMissing: "remove" };
  expect(acts(await apply(fewer, prune))).toEqual(["kept queries/Totals"]);
  await owner(`PATCH /api/v1/queries/${id}`, { description: "" });
  expect(acts(await apply(fewer, prune))).toEqual(["remove queries/Totals"]);
});

async function makeSurroundings(ask: typeof owner): Promise<{ readonly teamId: string }> {
  await ask("POST /api/v1/secrets", { name: "SHOP_TOKEN", value: "s3cret-of-the-shop" });
  const { body } = await ask("POST /api/v1/itsm/teams", { name: "Night team" });
  return { teamId: body.data.id };
}

/** Creates one item of each kind with references. */
async function makeEverything(): Promise<void> {
  const { teamId } = await makeSurroundings(owner);
  const make = async (path: string, input: object): Promise<string> => {
    const { status, body } = await owner(`POST /api/v1/${path}`, input);
    expect([status, body.errors]).toEqual([201, undefined]);
    return body.data.id;
  };
  const connectorId = await make("connectors", {
    name: "Shop",
    type: "http",
    config: { baseUrl: "https://shop.example.com" },
    auth: { kind: "bearer", token: "{{secrets.SHOP_TOKEN}}" },
  });
  const errorWorkflowId = await make("workflows", {
    name: "Zuletzt",
    trigger: { type: "manual" },
    nodes: [],
    edges: [],
  });
  await make("workflows", {
    name: "Order",
    trigger: { type: "manual" },
    errorWorkflowId,
    nodes: [
      { id: "call", type: "connector", config: { connectorId, action: "request", input: {} } },
      { id: "next", type: "subworkflow", config: { workflowId: errorWorkflowId } },
    ],
    edges: [{ from: "call", to: "next" }],
  });
  await make("variables", {
    name: "SHOP_URL",
    value: { host: "shop.example.com" },
    environments: { staging: { host: "staging.shop.example.com" } },
    ownValuesOnly: true,
  });
  await make("webhooks", {
    name: "Pager",
    url: "https://pager.example.com/hook",
    events: ["incident.*"],
    headers: { authorization: "Bearer {{secrets.SHOP_TOKEN}}" },
    retries: 5,
  });
  const textModuleId = await make("itsm/text-modules", {
    name: "Greeting",
    keyword: "hello",
    body: "Hello {{caller.firstName}}",
    teamId,
  });
  await make("itsm/macros", {
    name: "Greet",
    teamId,
    steps: [{ act: "take" }, { act: "comment", textModuleId }],
  });
  await make("apps", {
    name: "Orders",
    slug: "orders",
    theme: { accent: "#0b6b63" },
    dataSources: [{ name: "shop", kind: "connector", config: { connectorId, action: "request" } }],
    pages: [{ path: "/", title: "Orders", components: [{ type: "text", text: "Hello" }] }],
  });
}

test("an export of one workspace creates the same in another, and applying it to both changes nothing", async () => {
  for (const packKey of ["core_baseline_pack", "itsm_baseline_pack"]) {
    expect((await owner("POST /api/v1/sdk/install-packs", { packKey })).status).toBe(201);
  }
  const place = await world.workspace("elsewhere");
  const other = await world.member(["owner"], place);
  await makeEverything();
  const here = (await owner("GET /api/v1/code/export")).body.data;
  expect(here.leftOut).toEqual([]);
  expect(Object.keys(here.items)).toEqual(expect.arrayContaining(["variables", "macros", "apps"]));
  const own = await owner("POST /api/v1/code/apply?dryRun=true", {
    project: "all",
    items: here.items,
  });
  expect([own.status, acts(own)]).toEqual([200, []]);
  // Teams and secrets are not included, only their names.
  const refused = await other("POST /api/v1/code/apply", { project: "all", items: here.items });
  expect([refused.status, refused.events]).toEqual([422, []]);
  await makeSurroundings(other);
  const moved = await other("POST /api/v1/code/apply", { project: "all", items: here.items });
  expect([moved.status, moved.body.detail]).toEqual([200, undefined]);
  const there = (await other("GET /api/v1/code/export")).body.data;
  expect(there).toEqual(here);
  const token = await owner("POST /api/v1/auth/tokens", {
    name: "narrow",
    scopes: ["packs:install", "queries:write"],
    expiresIn: null,
  });
  const narrow = await owner("GET /api/v1/code/export", undefined, {
    authorization: `Bearer ${token.body.data.token}`,
  });
  expect(Object.keys(narrow.body.data.items)).toEqual(["queries"]);
});

test("a folder applies to one environment at a time, and removes items only on request and with permission", async () => {
  const project = (environment: string, more: object, ask = owner, headers: object = {}) =>
    ask(
      "POST /api/v1/code/apply",
      { project: "places", ...more },
      { "x-environment": environment, ...headers },
    );
  const table = (name: string) => ({
    slug: "places",
    name,
    columns: [{ name: "n", type: "text" }],
  });
  const role = (description: string) => ({
    name: "Placed",
    description,
    permissions: ["incidents:read"],
  });
  const nameIn = async (environment: string) =>
    (await owner("GET /api/v1/tables/places", undefined, { "x-environment": environment })).body
      .data?.name;
  const first = { items: { tables: [table("First")], roles: [role("one")] } };
  expect(acts(await project("production", first))).toEqual([
    "create roles/Placed",
    "create tables/places",
  ]);
  const second = { items: { tables: [table("Second")], roles: [role("two")] } };
  expect(acts(await project("staging", second))).toEqual([
    "update roles/Placed",
    "create tables/places",
  ]);
  expect([await nameIn("production"), await nameIn("staging")]).toEqual(["First", "Second"]);
  // Workspace-wide changes by the same folder in another environment are not user edits.
  expect(acts(await project("production", second))).toEqual(["update tables/places"]);
  const queries = { queries: [{ name: "Only", sql: "select 1 as n" }] };
  const left = await project("production", { items: queries });
  expect(acts(left)).toEqual([
    "create queries/Only",
    "missing tables/places",
    "missing roles/Placed",
  ]);
  expect(left.events).toEqual(["query.created", "pack.upgraded"]);
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "queries alone",
    scopes: ["packs:install", "queries:write"],
    expiresIn: null,
  });
  const prune = { items: queries, onMissing: "remove" };
  const denied = await project("production", prune, owner, {
    authorization: `Bearer ${body.data.token}`,
  });
  expect([denied.status, denied.events]).toEqual([403, []]);
  expect(JSON.stringify(denied.body)).not.toContain("Second");
  expect(acts(await project("production", prune))).toEqual([
    "remove tables/places",
    "remove roles/Placed",
  ]);
  expect(await nameIn("staging")).toBe("Second");
});
