import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { browser, deployedApp, followed, tableOf } from "../testing/apps.ts";

const EVIL = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;

const world = await useWorld({
  work: true,
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" },
});
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const table = await tableOf(
  owner,
  [
    { name: "name", type: "text", required: true, unique: true },
    { name: "secret", type: "text" },
    { name: "owner", type: "text" },
    { name: "size", type: "integer" },
    { name: "weight", type: "integer" },
  ],
  [
    { name: "One", secret: "hidden words", owner: "C-1" },
    { name: "Two", owner: "C-2" },
    { name: EVIL, owner: "C-1" },
  ],
);

const source = (config: object = {}) => ({
  name: "things",
  kind: "table",
  config: { table, sort: "name", ...config },
});
const page = (...components: object[]) => [{ path: "/", title: "Things", components }];
const columns = [{ field: "name", label: "Name" }];

async function things(): Promise<any[]> {
  return (await owner(`GET /api/v1/tables/${table}/records?limit=200&sort=name`)).body.data;
}

function state(by: Ask, slug: string, body: object = {}) {
  return by(`POST /apps/default/${slug}/_state`, { page: "/", ...body });
}

function act(by: Ask, slug: string, body: object) {
  return by(`POST /apps/default/${slug}/_act`, { page: "/", ...body });
}

test("a form creates a record with the rights of its user, and reports errors per field", async () => {
  const { id, slug, pages, deploymentId } = await deployedApp(owner, {
    pages: page({
      id: "add",
      type: "form",
      fields: [
        { name: "name", required: true },
        { name: "owner", input: "select", options: ["C-1"] },
        { name: "size" },
        { name: "weight", input: "number" },
      ],
      submit: { type: "create_record", table, message: "{{ result.name }} is here" },
    }),
  });
  const by = browser(world, agent.token);
  const send = (values: object) => act(by, slug, { componentId: "add", action: "/submit", values });
  const told = (fields: object) => ({
    status: 200,
    events: ["app.action_performed"],
    body: { data: { effects: [{ kind: "error", fields }] } },
  });
  expect(await send({ owner: "C-9" })).toMatchObject(
    told({ name: "This field is required.", owner: "Choose one of the options." }),
  );
  expect(await send({ name: "Ten", weight: "heavy" })).toMatchObject(
    told({ weight: "Enter a number, for example 12.5." }),
  );
  expect(await send({ name: "Ten", size: "a lot" })).toMatchObject(
    told({ size: expect.any(String) }),
  );
  const done = await send({ name: "Three", owner: "C-1", secret: "smuggled" });
  expect(done).toMatchObject({
    status: 200,
    events: ["record.created", "app.action_performed"],
    body: { data: { effects: [{ kind: "message", text: "Three is here" }, { kind: "refresh" }] } },
  });
  const made = (await things()).find(({ name }) => name === "Three");
  expect(made).toMatchObject({ owner: "C-1", secret: null, createdBy: agent.userId });
  const [event] = (await owner("GET /api/v1/audit?type=app.action_performed&limit=1")).body.data;
  expect(event).toMatchObject({
    actor: { id: agent.userId, type: "user" },
    resource: { type: "app", id },
    data: {
      appId: id,
      deploymentId,
      pageId: pages[0]?.id,
      componentId: "add",
      actions: ["create_record"],
      succeeded: true,
      embedTokenId: null,
    },
  });
});

test("shows only existing columns that the user can read", async () => {
  const { slug } = await deployedApp(owner, {
    dataSources: [
      source({ filter: { owner: "{{ params.owner }}" } }),
      { name: "asked", kind: "query", config: { queryId: await savedQuery("All") } },
    ],
    pages: page(
      { id: "list", type: "table", dataSource: "things", columns },
      { id: "count", type: "stat", label: "Rows", value: "{{ $count(data.asked) }}" },
      {
        id: "mine",
        type: "text",
        text: "For {{ $join(user.roles) }}",
        visible: "{{ 'agent' in user.roles }}",
      },
    ),
  });
  const parts = async (by: Ask, params: object): Promise<any[]> =>
    (await state(by, slug, { params })).body.data.components;
  const [list, count, mine] = await parts(browser(world, agent.token), { owner: "C-1" });
  expect(list.rows.map(({ cells }: any) => cells)).toEqual([[EVIL], ["One"], ["Three"]]);
  expect(JSON.stringify(list)).not.toContain("hidden words");
  // An agent may not run SQL queries: this component shows the error, the others their data.
  expect(count).toMatchObject({ type: "failed", error: expect.stringContaining("queries:run") });
  expect(mine).toMatchObject({ text: "For agent" });
  const viewer = await world.member(["viewer"]);
  const seen = await parts(browser(world, viewer.token), { owner: "C-2" });
  expect(seen).toMatchObject([{ rows: [{ cells: ["Two"] }] }, { value: 4 }]);
  // A filter that lacks its value lets nothing through.
  expect(await parts(browser(world, viewer.token), {})).toMatchObject([{ rows: [] }, {}]);
});

test("the page is readable without scripts", async () => {
  const { slug } = await deployedApp(owner, {
    dataSources: [source()],
    pages: page({
      type: "tabs",
      tabs: [
        { title: "List", components: [{ type: "table", dataSource: "things", columns }] },
        { title: "Words", components: [{ type: "markdown", text: "Some **words**" }] },
      ],
    }),
  });
  const { body } = await browser(world, agent.token)(`GET /apps/default/${slug}`);
  expect(body).toMatch(/<title>Things · Orders \d+<\/title>/);
  expect(body).toContain("<h1>Things</h1>");
  expect(body).toMatch(/<td[^>]*>One<\/td>/);
  expect(body).toContain("Some <strong>words</strong>");
  expect(body.match(/role="tabpanel"/g)).toHaveLength(2);
  expect(body).not.toMatch(/role="tabpanel"[^>]* hidden/);
});

async function savedQuery(name: string): Promise<string> {
  const sql = `select name from "${table}"`;
  return (await owner("POST /api/v1/queries", { name, sql })).body.data.id;
}

test("workflows provide data and responses, and actions run in sequence until one fails", async () => {
  const workflowId = await deployWorkflow(owner, [
    { id: "make", type: "set", config: { values: { id: "x", n: "{{ trigger.input.n * 2 }}" } } },
  ]);
  const failing = await deployWorkflow(owner, [
    { id: "stop", type: "fail", config: { message: "Not today" } },
  ]);
  const { slug } = await deployedApp(owner, {
    dataSources: [
      { name: "twice", kind: "workflow", config: { workflowId, input: { n: "{{ inputs.n }}" } } },
    ],
    pages: page(
      { type: "input", name: "n", label: "N", input: "number", default: 4 },
      { type: "stat", label: "Twice", value: "{{ data.twice.n }}" },
      {
        id: "rows",
        type: "table",
        dataSource: "twice",
        rowActions: [{ label: "Say", action: { type: "refresh", message: "{{ row.n }}" } }],
      },
      { type: "detail", dataSource: "twice" },
      {
        id: "chain",
        type: "button",
        label: "Go",
        action: followed(
          {
            type: "run_workflow",
            workflowId,
            wait: true,
            input: { n: 10 },
            message: "It is {{ result.n }}",
          },

          { type: "run_workflow", workflowId: failing, wait: true, message: "never" },
          { type: "refresh" },
        ),
      },
    ),
  });
  const by = browser(world, agent.token);
  const shown = await state(by, slug);
  expect(shown.body.data.components[1]).toMatchObject({ value: 8 });
  // Three components show the result of one run.
  const oneRun = ["workflow.run_started", "workflow.run_completed"];
  expect(shown).toMatchObject({ events: oneRun });
  expect(shown.body.data.components.slice(2, 4)).toMatchObject([
    { columns: [{ label: "N" }], rows: [{ key: "x", cells: [8] }] },
    {
      fields: [{ label: "N", value: 8 }],
    },
  ]);
  const push = { componentId: "rows", action: "/rowActions/0/action" };
  expect(await act(by, slug, { ...push, row: "x" })).toMatchObject({
    events: [...oneRun, "app.action_performed"],
    body: { data: { effects: [{ kind: "refresh" }, { kind: "message", text: "8" }] } },
  });
  expect(await act(by, slug, { ...push, row: "y" })).toMatchObject({ status: 404, events: oneRun });
  expect((await state(by, slug, { inputs: { n: 6 } })).body.data.components[1]).toMatchObject({
    value: 12,
  });
  const { body } = await act(by, slug, { componentId: "chain", action: "/action" });
  expect(body.data.effects).toEqual([
    { kind: "message", text: "It is 20" },
    { kind: "error", message: "Not today" },
    { kind: "refresh" },
  ]);
  // Members may not start workflows, and the page shows this.
  const member = browser(world, (await world.member(["member"])).token);
  expect((await state(member, slug)).body.data.components[1]).toMatchObject({
    type: "failed",
    error: expect.stringContaining("workflows:trigger"),
  });
});

test("connectors, artifacts and saved queries provide data, and buttons invoke them", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"temperature":21}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const connector = await owner("POST /api/v1/connectors", {
    name: "Weather",
    type: "http",
    config: { baseUrl: `http://127.0.0.1:${port}` },
  });
  const connectorId = connector.body.data.id;
  const script = {
    name: "twice",
    artifactType: "workflow_node",
    moduleKey: "apps",
    detail: { scriptSource: "return { twice: input.n * 2 };" },
  };
  const artifactId = (await owner("POST /api/v1/flowsdk/artifacts", script)).body.data.id;
  const queryId = await savedQuery("Names");
  const input = { method: "GET", path: "/" };
  const button = (id: string, action: object) => ({ id, type: "button", label: id, action });
  const { slug } = await deployedApp(owner, {
    dataSources: [
      { name: "weather", kind: "connector", config: { connectorId, action: "request", input } },
      {
        name: "twice",
        kind: "artifact",
        config: { artifactId, input: { n: "{{ $number(params.n) }}" } },
      },
    ],
    pages: page(
      { type: "stat", label: "Now", value: "{{ data.weather.body.temperature }}" },
      { type: "stat", label: "Twice", value: "{{ data.twice.twice }}" },
      button("ask", {
        type: "invoke_connector",
        connectorId,
        action: "request",
        input,
        message: "{{ result.status }}",
      }),
      button("run", {
        type: "execute_artifact",
        artifactId,
        input: { n: 4 },
        message: "{{ result.twice }}",
      }),
      button("count", { type: "run_query", queryId, message: "{{ $count(result) }} there" }),
    ),
  });
  // A program may authenticate with its token; the same-origin check does not apply to it.
  const { body } = await owner(`POST /apps/default/${slug}/_state`, {
    page: "/",
    params: { n: "5" },
  });
  expect(body.data.components).toMatchObject([{ value: 21 }, { value: 10 }, {}, {}, {}]);
  const said = async (componentId: string) =>
    (await act(owner, slug, { componentId, action: "/action" })).body.data.effects[0].text;
  expect([await said("ask"), await said("run")]).toEqual(["200", "8"]);
  expect(await said("count")).toMatch(/^\d+ there$/);
  server.close();
  const after = await owner(`POST /apps/default/${slug}/_state`, { page: "/", params: { n: "x" } });
  expect(after.body.data.components).toMatchObject([
    { type: "failed" },
    { type: "failed" },
    {},
    {},
    {},
  ]);
});

test("numbers and times use the workspace's language and time zone", async () => {
  const place = await world.workspace("berlin");
  const by = await world.member(["owner"], place);
  const region = { timezone: "Europe/Berlin", locale: "de-DE" };
  const changed = await by("PATCH /api/v1/workspaces/berlin", region);
  expect(changed).toMatchObject({ status: 200, events: ["workspace.updated"] });
  const events = await tableOf(by, [{ name: "at", type: "timestamp" }], []);
  const { slug } = await deployedApp(by, {
    pages: page(
      { id: "n", type: "stat", label: "N", value: 1234567.5, format: "number" },
      { id: "t", type: "stat", label: "T", value: "2026-07-16T22:30:00Z", format: "datetime" },
      { id: "d", type: "stat", label: "D", value: "2026-07-16", format: "date" },
      {
        id: "add",
        type: "form",
        fields: [{ name: "at", input: "datetime", default: "2026-07-16T22:30:00Z" }],
        submit: { type: "create_record", table: events },
      },
    ),
  });
  const { body } = await by(`GET /apps/berlin/${slug}`);
  expect(body).toContain('<html lang="de-DE" data-mode="auto">');
  for (const text of [
    "1.234.567,5",
    "17. Juli 2026, 00:30 MESZ",
    "16.07.2026",
    "2026-07-17T00:30",
  ]) {
    expect(body).toContain(text);
  }
  const values = { at: "2026-12-24T18:00" };
  const sent = { page: "/", componentId: "add", action: "/submit", values };
  expect((await by(`POST /apps/berlin/${slug}/_act`, sent)).status).toBe(200);
  const { body: list } = await by(`GET /api/v1/tables/${events}/records`);
  expect(list.data.map((one: any) => one.at)).toEqual(["2026-12-24T17:00:00.000Z"]);
});
