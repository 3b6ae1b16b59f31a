import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { browser, deployedApp, tableOf } from "../testing/apps.ts";

const EVIL = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const table = await tableOf(
  owner,
  [
    { name: "name", type: "text", required: true, unique: true },
    { name: "owner", type: "text" },
  ],
  [
    { name: "One", owner: "C-1" },
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

function act(by: Ask, slug: string, body: object) {
  return by(`POST /apps/default/${slug}/_act`, { page: "/", ...body });
}

test("user input is always rendered as text", async () => {
  const { slug } = await deployedApp(owner, {
    name: EVIL.slice(0, 90),
    dataSources: [source()],
    pages: [
      {
        path: "/",
        title: EVIL,
        components: [
          { type: "text", text: EVIL },
          { type: "text", text: "{{ params.x }}" },
          {
            type: "markdown",
            text: `${EVIL}\n\n[a](javascript:alert(1)) [b](//evil.example) ![c](https://evil.example/x) [d](https://ok.example)`,
          },
          { type: "table", dataSource: "things", columns: [{ field: "name", label: EVIL }] },
          { type: "stat", label: EVIL, value: EVIL },
          {
            type: "stat",
            label: "File",
            value: "{{ {'name': 'File', 'url': 'javascript:alert(1)', 'mediaType': 'x/y'} }}",
            format: "file",
          },
          { type: "chart", dataSource: "things", kind: "bar", x: "name", y: "name", title: EVIL },
          { type: "button", label: EVIL, confirm: EVIL, action: { type: "refresh" } },
          { type: "modal", title: EVIL, openLabel: EVIL, components: [] },
        ],
      },
    ],
  });
  const by = browser(world, agent.token);
  const { status, body, headers } = await by(
    `GET /apps/default/${slug}?x=${encodeURIComponent(EVIL)}`,
  );
  expect(status).toBe(200);
  expect(body).not.toContain("<img");
  expect(body).not.toContain("<script>");
  expect(body.match(/<script/g)).toHaveLength(2);
  expect(body).not.toMatch(/href="(javascript|\/\/|&#)/);
  expect(body).toContain('href="https://ok.example"');
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  const [, json = ""] = /id="start">(.*?)<\/script>/s.exec(body) ?? [];
  expect(JSON.parse(json).state.title).toBe(EVIL);
});

test("a calendar shows only valid months, whatever is requested", async () => {
  const { slug } = await deployedApp(owner, {
    dataSources: [source({ limit: 10 })],
    pages: page({
      id: "c",
      type: "calendar",
      dataSource: "things",
      date: "createdAt",
      cardTitle: "name",
    }),
  });
  const by = browser(world, agent.token);
  for (const month of ["9999-12", "0000-01", "2026-13"]) {
    const views = { c: { month } };
    const { status, body } = await by(`POST /apps/default/${slug}/_state`, { page: "/", views });
    expect([status, body.data?.components[0].type]).toEqual([200, "calendar"]);
    expect(body.data.components[0].month).not.toBe(month);
  }
});

test("a page is limited in size", async () => {
  const text = { type: "text", text: "{{ params.x }}".repeat(45) };
  const { slug } = await deployedApp(owner, {
    pages: page(...Array.from({ length: 20 }, () => text)),
  });
  const by = browser(world, agent.token);
  const params = { x: "x".repeat(20_000) };
  const { body } = await by(`POST /apps/default/${slug}/_state`, { page: "/", params });
  expect(body.data.components).toMatchObject([{ type: "failed" }]);
});

test("an inherited property is not an entered value", async () => {
  const { slug } = await deployedApp(owner, {
    pages: page(
      { type: "input", name: "constructor", label: "Built by" },
      { type: "text", text: "By {{ inputs.constructor }}." },
      { type: "text", text: "As it is: \\{{ x }}" },
    ),
  });
  const by = browser(world, agent.token);
  const { body } = await by(`POST /apps/default/${slug}/_state`, { page: "/" });
  expect(body.data.components).toMatchObject([
    { value: "" },
    { text: "By ." },
    { text: "As it is: {{ x }}" },
  ]);
});

test("rows beyond a source's limit are not returned, and a search does not reveal hidden values", async () => {
  const say = { label: "Say", action: { type: "refresh", message: "{{ row.name }}" } };
  const list = (id: string, more: object) => ({
    id,
    type: "table",
    dataSource: "things",
    columns,
    rowActions: [say],
    ...more,
  });
  const { slug } = await deployedApp(owner, {
    dataSources: [source({ sort: "-name", limit: 1 }), { ...source(), name: "all" }],
    pages: page(list("one", { search: true }), list("all", { dataSource: "all" })),
  });
  const by = browser(world, agent.token);
  const shown = async (q: string) => {
    const views = { one: { q }, all: { q } };
    const { body } = await by(`POST /apps/default/${slug}/_state`, { page: "/", views });
    return body.data.components.map(({ rows }: any) => rows.map(({ cells }: any) => cells[0]));
  };
  expect(await shown("")).toEqual([["Two"], [EVIL, "One", "Two"]]);
  expect(await shown("tWO")).toEqual([["Two"], [EVIL, "One", "Two"]]);
  expect(await shown("C-2")).toEqual([[], [EVIL, "One", "Two"]]);
  const rows = await things();
  const push = (name: string) =>
    act(by, slug, {
      componentId: "one",
      action: "/rowActions/0/action",
      row: rows.find((row) => row.name === name).id,
    });
  expect(await push("One")).toMatchObject({ status: 404, events: [] });
  expect(await push("Two")).toMatchObject({ status: 200, events: ["app.action_performed"] });
});

test("a custom color cannot inject other styles into the page", async () => {
  const { slug } = await deployedApp(owner, { theme: { accent: "#AA3300" } });
  const { body, headers } = await browser(world, agent.token)(`GET /apps/default/${slug}`);
  const [, style = ""] = /<style>(.*)<\/style>/.exec(body) ?? [];
  expect(style).toContain(":root{--accent:light-dark(#AA3300,");
  const hash = createHash("sha256").update(style).digest("base64");
  expect(headers["content-security-policy"]).toContain(`style-src 'self' 'sha256-${hash}';`);
  for (const accent of ["red", "#fff", "#00000g", "#000000;}body{display:none", "#0000000"]) {
    const refused = await owner("POST /api/v1/apps", { name: "x", theme: { accent } });
    expect(refused).toMatchObject({ status: 422, events: [] });
  }
});

test("only actions of the deployed page can run, on rows of its sources", async () => {
  const remove = { label: "Delete", action: { type: "delete_record", table, id: "{{ row.id }}" } };
  const { slug } = await deployedApp(owner, {
    dataSources: [source({ filter: { owner: "C-2" } })],
    pages: [
      ...page(
        { id: "list", type: "table", dataSource: "things", columns, rowActions: [remove] },
        {
          id: "box",
          type: "modal",
          title: "Box",
          openLabel: "Open",
          visible: "{{ 'owner' in user.roles }}",
          components: [{ id: "inside", type: "button", label: "Go", action: { type: "refresh" } }],
        },
      ),
      {
        path: "/other",
        title: "Other",
        components: [{ id: "far", type: "button", label: "Go", action: { type: "refresh" } }],
      },
    ],
  });
  const by = browser(world, agent.token);
  const rows = await things();
  const foreign = rows.find(({ name }) => name === "One").id;
  const own = rows.find(({ name }) => name === "Two").id;
  const push = (body: object) =>
    act(by, slug, { action: "/rowActions/0/action", componentId: "list", ...body });
  const refused = { status: 404, events: [] };
  expect(await push({ row: foreign })).toMatchObject(refused);
  expect(await push({ row: `${own}' or 1=1` })).toMatchObject(refused);
  expect(await push({})).toMatchObject(refused);
  expect(await push({ row: own, action: "/rowActions/1/action" })).toMatchObject(refused);
  expect(await push({ row: own, action: "/columns/0" })).toMatchObject(refused);
  expect(await push({ row: own, componentId: "far" })).toMatchObject(refused);
  expect(await push({ row: own, componentId: "__proto__" })).toMatchObject(refused);
  expect(
    await push({ row: own, action: { type: "delete_record", table, id: foreign } }),
  ).toMatchObject({ status: 422, events: [] });
  expect(await act(by, slug, { componentId: "inside", action: "/action" })).toMatchObject({
    status: 403,
    events: [],
  });
  expect(await push({ row: own })).toMatchObject({
    status: 200,
    events: ["record.deleted", "app.action_performed"],
    body: { data: { effects: [{ kind: "refresh" }] } },
  });
  expect((await things()).map(({ id }) => id)).toContain(foreign);
  // A user without write permission sees the reason.
  const viewer = browser(world, (await world.member(["viewer"])).token);
  await owner(`POST /api/v1/tables/${table}/records`, { name: "Two", owner: "C-2" });
  const again = (await things()).find(({ name }) => name === "Two").id;
  const denied = await act(viewer, slug, {
    componentId: "list",
    action: "/rowActions/0/action",
    row: again,
  });
  expect(denied).toMatchObject({
    status: 200,
    events: ["app.action_performed"],
    body: {
      data: { effects: [{ kind: "error", message: expect.stringContaining("records:write") }] },
    },
  });
});

test("rejects requests from foreign pages or from non-members", async () => {
  const { slug } = await deployedApp(owner);
  const route = `POST /apps/default/${slug}/_act`;
  const body = { page: "/", componentId: "again", action: "/action" };
  const cookie = `millrace_session=${agent.token}`;
  for (const origin of ["http://evil.example", "null", undefined]) {
    const headers = { cookie, host: "millrace.example.com", ...(origin && { origin }) };
    expect(await world.stranger(route, body, headers)).toMatchObject({ status: 403, events: [] });
  }
  expect(await browser(world)(route, body)).toMatchObject({ status: 401, events: [] });
  const login = await browser(world)(`GET /apps/default/${slug}/deep/er?x=1&environment=staging`);
  expect(login).toMatchObject({ status: 401, events: [] });
  expect(login.body).toContain(`/apps/default/${slug}/deep/er?x=1&#38;environment=staging`);
  expect(login.body).not.toContain("Orders");
  const astray = await browser(world)(`GET /apps/default/${slug}/..%2f..%2f..%2f/evil.example`);
  expect(astray.body).toContain(`name="returnTo" value="/apps/default/${slug}"`);
  const stranger = await world.member(["owner"], await world.workspace("across-the-road"));
  const outsider = browser(world, stranger.token);
  for (const path of [`default/${slug}`, "nowhere/at-all"]) {
    const page403 = await outsider(`GET /apps/${path}`);
    expect(page403).toMatchObject({ status: 403 });
    expect(page403.headers["content-type"]).toContain("text/html");
  }
  const by = browser(world, agent.token);
  expect((await by(`GET /apps/default/${slug}/nowhere`)).status).toBe(404);
  expect((await by("GET /apps/default/no-such-app")).status).toBe(404);
  expect((await by(`GET /apps/default/${slug}?environment=staging`)).status).toBe(404);
  expect((await by(`GET /apps/default/${slug}?environment=moon`)).status).toBe(422);
  for (const returnTo of [
    "//evil.example",
    "https://evil.example/apps/x",
    "/docs",
    "/apps/../docs",
    "/\\evil.example",
  ]) {
    const sent = { returnTo, email: "admin@example.com", password: "whatever" };
    expect(await browser(world)("POST /apps/_login", sent)).toMatchObject({
      status: 422,
      events: [],
    });
  }
});

test("navigation stays within the installation, whatever its expressions return", async () => {
  const go = (id: string, action: object) => ({
    id,
    type: "button",
    label: "Go",
    action: { type: "navigate", ...action },
  });
  const { slug } = await deployedApp(owner, {
    pages: [
      ...page(
        go("bound", { path: "{{ params.to }}" }),
        go("page", { page: "{{ params.to }}", params: { a: "1 & 2", none: "{{ params.none }}" } }),
        go("path", { path: "/docs?x=1" }),
      ),
      { path: "/deep/er", title: "Deeper", components: [] },
    ],
  });
  const by = browser(world, agent.token);
  const push = async (componentId: string, to = "") =>
    (await act(by, slug, { componentId, action: "/action", params: { to } })).body.data.effects;
  for (const to of [
    "//evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "/\\evil.example",
    "/\t/evil.example",
    "/docs/..//evil.example",
    "data:,x",
    "",
  ]) {
    expect(await push("bound", to), to).toMatchObject([{ kind: "error" }]);
  }
  expect(await push("bound", "/docs#top")).toEqual([{ kind: "navigate", url: "/docs#top" }]);
  expect(await push("path")).toEqual([{ kind: "navigate", url: "/docs?x=1" }]);
  expect(await push("page", "/nowhere")).toMatchObject([{ kind: "error" }]);
  expect(await push("page", "deep/er")).toEqual([
    { kind: "navigate", url: `/apps/default/${slug}/deep/er?a=1+%26+2` },
  ]);
});
