import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { browser, deployedApp, tableOf } from "../testing/apps.ts";

const world = await useWorld({
  env: {
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32,::1/128",
    MILLRACE_BASE_URL: "http://millrace.example.com",
    MILLRACE_HOSTS: "desk.example.com, help.example.com",
  },
});
const owner = await world.member(["owner"]);
const builder = await world.member(["builder"]);
const member = await world.member(["member"]);
const stranger = browser(world);

const table = await tableOf(
  owner,
  [
    { name: "name", type: "text" },
    { name: "cost", type: "text" },
  ],
  [
    { name: "Chair", cost: "secret-17" },
    { name: "Lamp", cost: "secret-18" },
  ],
);
const add = { type: "create_record", table, values: { name: "{{ inputs.name }}" } };
const definition = (more: object = {}) => ({
  dataSources: [{ name: "things", kind: "table", config: { table } }],
  pages: [
    {
      path: "/",
      title: "Things",
      components: [
        { type: "text", text: "Hello {{ user.name }}{{ user.email }}" },
        {
          id: "list",
          type: "table",
          dataSource: "things",
          columns: [{ field: "name", label: "Name" }],
          search: true,
          select: "many",
          bulkActions: [
            {
              label: "Mark",
              action: {
                type: "update_record",
                table,
                id: "{{ row.id }}",
                values: { name: "{{ row.name }}!" },
              },
            },
          ],
        },
        { type: "input", name: "name", label: "Name" },
        { id: "add", type: "button", label: "Add", action: add },
        {
          id: "ticket",
          type: "button",
          label: "Ticket",
          action: { type: "create_ticket", values: { title: "No" } },
        },
      ],
    },
  ],
  ...more,
});
const app = await deployedApp(builder, definition());
const at = (slug: string, rest = "") => `/apps/default/${slug}${rest}`;
const act = (componentId: string, more: object = {}) => ({
  page: "/",
  componentId,
  action: "/action",
  ...more,
});
const list = (body: any) => body.data.components.find(({ id }: any) => id === "list");

test("visitors see only a public app and lose access after the app is closed or the publisher loses the permission", async () => {
  expect((await stranger(`GET ${at(app.slug)}`)).status).toBe(401);
  expect((await member(`POST /api/v1/apps/${app.id}/public`)).status).toBe(403);
  const made = await builder(`POST /api/v1/apps/${app.id}/public`);
  expect([made.status, made.events]).toEqual([200, ["audit.app_publication.created"]]);
  const page = await stranger(`GET ${at(app.slug)}`);
  expect(page.status).toBe(200);
  const { user } = (await builder("GET /api/v1/auth/me")).body.data;
  for (const word of ["secret-1", user?.email ?? "@example.com", "/logout"])
    expect(page.body).not.toContain(word);
  expect(page.body).toContain("Hello Visitor");

  // Hidden fields cannot be discovered by search or sort.
  const look = (view: object) =>
    stranger(`POST ${at(app.slug, "/_state")}`, { page: "/", views: { list: view } });
  for (const [view, shown] of [
    [{}, ["Lamp", "Chair"]],
    [{ q: "secret-17" }, []],
    [{ q: "CHA" }, ["Chair"]],
    [{ sort: "cost" }, ["Lamp", "Chair"]],
    [{ sort: "-cost" }, ["Lamp", "Chair"]],
  ] as const) {
    const { body } = await look(view);
    expect(list(body).rows.map(({ cells }: any) => cells[0])).toEqual(shown);
    expect(list(body).search).toBe(true);
  }
  expect(page.body).toContain("_live");

  // Visitors act as the app, with only the actions that it allows.
  const added = await stranger(
    `POST ${at(app.slug, "/_act")}`,
    act("add", { inputs: { name: "Rug" } }),
  );
  expect(added.events).toEqual(["record.created", "app.action_performed"]);
  const { body } = await owner(`GET /api/v1/tables/${table}/records?limit=1`);
  expect(body.data[0]).toMatchObject({ name: "Rug", createdBy: app.id });
  const refused = await stranger(`POST ${at(app.slug, "/_act")}`, act("ticket"));
  expect([refused.body.data.effects[0].kind, refused.events]).toEqual([
    "error",
    ["app.action_performed"],
  ]);
  const large = {
    page: "/",
    inputs: Object.fromEntries([...Array(20)].map((_, n) => [`i${n}`, "x".repeat(20_000)])),
  };
  expect((await stranger(`POST ${at(app.slug, "/_state")}`, large)).status).toBe(422);

  // No other part of the workspace is public, and the app is available only at its own URL.
  const other = await deployedApp(builder, definition());
  for (const route of [
    `GET ${at(other.slug)}`,
    `GET ${at(app.slug)}?environment=staging`,
    `GET /api/v1/tables/${table}/records`,
    `GET /api/v1/apps/${app.id}`,
  ])
    expect([route, (await stranger(route)).status]).toEqual([route, 401]);
  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    statuses.push((await stranger(`POST ${at(app.slug, "/_act")}`, act("ticket"))).status);
  }
  expect(statuses.at(-1)).toBe(429);

  // A member uses the app with their own account.
  const inside = browser(world, member.token);
  expect((await inside(`GET ${at(app.slug)}`)).body).toContain("/logout");
  const closed = await builder(`DELETE /api/v1/apps/${app.id}/public`);
  expect([closed.status, closed.events]).toEqual([204, ["audit.app_publication.deleted"]]);
  expect((await stranger(`GET ${at(app.slug)}`)).status).toBe(401);
  const { body: now } = await builder(`GET /api/v1/apps/${app.id}/public`);
  expect(now.data).toEqual({ publication: null });
});

test("a custom domain serves only the app, and only if the domain points to this server", async () => {
  await world.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = world.app.server.address() as AddressInfo;
  const domain = `localhost:${port}`;
  const put = (id: string, to: string | null) =>
    owner(`PUT /api/v1/apps/${id}/domain`, { domain: to });
  expect((await put(app.id, domain)).body.code).toBe("app_not_public");
  await owner(`POST /api/v1/apps/${app.id}/public`);
  expect((await put(app.id, "localhost:1")).body.code).toBe("app_domain_elsewhere");
  const set = await put(app.id, domain);
  expect([set.status, set.events, set.body.data.domain]).toEqual([
    200,
    ["audit.app_publication.updated"],
    domain,
  ]);
  // The installation's own name and addresses cannot be used, in any spelling or with any Host header.
  for (const own of [
    "millrace.example.com",
    "millrace.example.com:80",
    "millrace.example.com:8080",
    "desk.example.com",
    `127.0.0.1:${port}`,
    `2130706433:${port}`,
    `0x7f.1:${port}`,
  ]) {
    const claim = await owner(
      `PUT /api/v1/apps/${app.id}/domain`,
      { domain: own },
      { host: "elsewhere.example.com" },
    );
    expect([own, claim.body.code, claim.events]).toEqual([own, "app_domain_elsewhere", []]);
  }
  const rival = await deployedApp(builder, definition());
  await owner(`POST /api/v1/apps/${rival.id}/public`);
  expect((await put(rival.id, domain)).body.code).toBe("app_domain_taken");

  const here = { host: domain, origin: `http://${domain}` };
  await expect
    .poll(async () => (await world.stranger("GET /", undefined, here)).body)
    .toContain("Hello Visitor");
  const home = await world.stranger("GET /", undefined, here);
  expect(home.body).toContain('"/_state"');
  const state = await world.stranger("POST /_state", { page: "/" }, here);
  expect([state.status, list(state.body).rows.length]).toEqual([200, 3]);
  // Credentials are ignored there, and no other path exists.
  const known = { ...here, authorization: `Bearer ${owner.token}`, "x-workspace": "default" };
  for (const path of ["/api/v1/tables", "/login", "/apps/default/other", "/forms/x", "/metrics"])
    expect([path, (await world.stranger(`GET ${path}`, undefined, known)).status]).toEqual([
      path,
      404,
    ]);
  for (const path of [
    "/apps/_assets/../../api/v1/tables",
    "//api/v1/tables",
    "/%2e%2e/%2e%2e/login",
  ])
    expect((await world.stranger(`GET ${path}`, undefined, known)).status).toBe(404);
  expect((await world.stranger("GET /healthz", undefined, here)).body).toEqual({ status: "ok" });
  const foreign = { ...here, origin: "https://evil.example" };
  expect((await world.stranger("POST /_state", { page: "/" }, foreign)).status).toBe(403);
  // If the app is no longer public, its domain does not ask for a password.
  const leaver = await world.member(["builder"]);
  await leaver(`POST /api/v1/apps/${app.id}/public`);
  const { id: leaverId } = (await leaver("GET /api/v1/auth/me")).body.data.user;
  expect((await owner(`DELETE /api/v1/settings/users/${leaverId}`)).status).toBe(204);
  const shut = await world.stranger("GET /", undefined, here);
  expect([shut.status, String(shut.body).includes("password")]).toEqual([404, false]);
  const gone = await put(app.id, null);
  expect(gone.body.data.domain).toBeNull();
  await expect
    .poll(async () => (await world.stranger("GET /_state", undefined, here)).status)
    .toBe(404);
  await owner(`DELETE /api/v1/apps/${app.id}/public`);
});

test("runs an action for each selected row, and starts a workflow if the app grants it", async () => {
  const inside = browser(world, builder.token);
  const rows = list((await inside(`POST ${at(app.slug, "/_state")}`, { page: "/" })).body).rows;
  const ids = rows.slice(0, 2).map(({ key }: any) => key);
  const body = act("list", { action: "/bulkActions/0/action", selected: { list: ids } });
  const done = await inside(`POST ${at(app.slug, "/_act")}`, body);
  expect(done.body.data.effects.slice(0, 2)).toEqual([
    { kind: "message", text: "2 rows done." },
    { kind: "deselect", table: "list" },
  ]);
  expect(done.events).toEqual(["record.updated", "record.updated", "app.action_performed"]);
  await owner(`DELETE /api/v1/tables/${table}/records/${ids[0]}`);
  const again = await inside(`POST ${at(app.slug, "/_act")}`, body);
  expect(again.body.data.effects[0]).toEqual({
    kind: "error",
    message: "1 of 2 failed: Some rows no longer exist.",
  });
  const none = act("list", { action: "/bulkActions/0/action" });
  expect((await inside(`POST ${at(app.slug, "/_act")}`, none)).status).toBe(404);

  const workflow = (
    await builder("POST /api/v1/workflows", {
      name: "Go",
      trigger: { type: "manual" },
      nodes: [{ id: "ok", type: "set", config: { values: { ok: true } } }],
      edges: [],
    })
  ).body.data.id;
  await builder(`POST /api/v1/workflows/${workflow}/publish`, {});
  const broken = (
    await builder("POST /api/v1/workflows", {
      name: "Break",
      trigger: { type: "manual" },
      nodes: [{ id: "no", type: "fail", config: { message: "inner words" } }],
      edges: [],
    })
  ).body.data.id;
  await builder(`POST /api/v1/workflows/${broken}/publish`, {});
  const start = { type: "run_workflow", workflowId: workflow };
  const fail = { type: "run_workflow", workflowId: broken, granted: true, wait: true };
  const buttons = await deployedApp(builder, {
    pages: [
      {
        path: "/",
        title: "Go",
        components: [
          { id: "plain", type: "button", label: "Go", action: start },
          { id: "lent", type: "button", label: "Go", action: { ...start, granted: true } },
          { id: "fail", type: "button", label: "Go", action: fail },
        ],
      },
    ],
  });
  const asMember = browser(world, member.token);
  const press = (id: string) => asMember(`POST ${at(buttons.slug, "/_act")}`, act(id));
  expect((await press("plain")).body.data.effects[0].kind).toBe("error");
  const lent = await press("lent");
  expect(lent.body.data.effects).toEqual([{ kind: "refresh" }]);
  expect(lent.events).toContain("app.action_performed");

  // Details of workflow errors are only for members.
  expect(JSON.stringify((await press("fail")).body)).toContain("inner words");
  await builder(`POST /api/v1/apps/${buttons.id}/public`);
  world.clock.advance(60_000);
  const failed = await stranger(`POST ${at(buttons.slug, "/_act")}`, act("fail"));
  expect([failed.status, failed.body.data?.effects[0].kind]).toEqual([200, "error"]);
  expect(JSON.stringify(failed.body)).not.toContain("inner words");
});

test("visitors are notified of changes in a public app, with a limit per address", async () => {
  const live = await deployedApp(builder, definition());
  await builder(`POST /api/v1/apps/${live.id}/public`);
  const { port } = world.app.server.address() as AddressInfo;
  const address = (slug: string) => `http://127.0.0.1:${port}${at(slug, "/_live")}`;
  const open = async (more = "", slug = live.slug, headers: Record<string, string> = {}) => {
    const gone = new AbortController();
    const reply = await fetch(address(slug) + more, { signal: gone.signal, headers });
    let text = "";
    const ended = (async () => {
      for await (const piece of reply.body ?? []) text += Buffer.from(piece).toString();
    })().catch(() => undefined);
    return { status: reply.status, reply, gone, ended, text: () => text };
  };
  const streams = await Promise.all(Array.from({ length: 6 }, () => open()));
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const seventh = await open();
  expect([seventh.status, seventh.reply.headers.get("retry-after")]).toEqual([429, "10"]);
  await owner(`POST /api/v1/tables/${table}/records`, { name: "Sofa", cost: "secret-19" });
  for (const { text } of streams) {
    await expect.poll(text).toContain("event: changed\ndata: {}\n\n");
    // The stream sends an id before the first change, so that a client that reconnects is recognized.
    expect(text()).toMatch(/^retry: 5000\nid: 0\n\n/);
    expect(text()).not.toMatch(/Sofa|secret|record/);
  }
  // Closing a stream frees its slot; a reconnecting client is notified immediately that data may have changed.
  for (const { gone, ended } of streams) {
    gone.abort();
    await ended;
  }
  await expect
    .poll(async () => {
      const again = await open("?limit=1", live.slug, { "last-event-id": "0" });
      await again.ended;
      return again.text();
    })
    .toContain("event: changed");
  // A HEAD request opens no stream, and takes no slot.
  for (let n = 0; n < 7; n += 1) {
    await expect
      .poll(async () => (await fetch(address(live.slug), { method: "HEAD" })).status)
      .toBe(200);
  }

  // Changes of referenced tables count: lookups show them, and rules depend on them.
  const columns = [{ name: "thing", type: "reference", options: { table } }];
  const orders = await tableOf(owner, columns, []);
  const sources = [{ name: "things", kind: "table", config: { table: orders } }];
  const other = await deployedApp(builder, definition({ dataSources: sources }));
  await builder(`POST /api/v1/apps/${other.id}/public`);
  const last = await open("?limit=1", other.slug);
  await owner(`POST /api/v1/tables/${table}/records`, { name: "Desk" });
  await last.ended;
  expect(last.text()).toContain("event: changed");

  // Changes between the reading of a page and the opening of its stream are reported: members send a log position,
  // visitors a time.
  for (const [name, headers] of [
    ["since", {}],
    ["after", { authorization: `Bearer ${builder.token}` }],
  ] as const) {
    const page = await fetch(`http://127.0.0.1:${port}${at(live.slug)}`, { headers });
    const [, start = "{}"] = /id="start">(.*?)<\/script>/.exec(await page.text()) ?? [];
    const { firstLive } = JSON.parse(start).urls;
    expect(firstLive).toMatch(new RegExp(`_live\\?${name}=\\w+$`));
    world.clock.advance(10);
    await owner(`POST /api/v1/tables/${table}/records`, { name: "Lamp" });
    const told = await open(
      `${firstLive.slice(firstLive.indexOf("?"))}&limit=1`,
      live.slug,
      headers,
    );
    await told.ended;
    expect(told.text()).toContain("event: changed");
  }
});
