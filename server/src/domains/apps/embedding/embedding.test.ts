import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { browser, deployedApp, tableOf } from "../testing/apps.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const names = [
  { name: "One", owner: "C-1" },
  { name: "Two", owner: "C-2" },
];
const table = await tableOf(
  owner,
  [
    { name: "name", type: "text" },
    { name: "owner", type: "text" },
  ],
  names,
);
const columns = [{ field: "name", label: "Name" }];
const app = await deployedApp(owner, {
  dataSources: [
    {
      name: "things",
      kind: "table",
      config: { table, filter: { owner: "{{ context.owner }}" } },
    },
  ],
  pages: [
    {
      path: "/",
      title: "Home",
      components: [
        { id: "go", type: "button", label: "Go", action: { type: "navigate", page: "/list" } },
      ],
    },
    {
      path: "/list",
      title: "List",
      components: [
        { id: "list", type: "table", dataSource: "things", columns },
        {
          id: "add",
          type: "button",
          label: "Add",
          action: {
            type: "create_record",
            table,
            values: { name: "New", owner: "{{ context.owner }}" },
          },
        },
      ],
    },
  ],
});

async function issue(by: Ask, more: object = {}, headers: Record<string, string> = {}) {
  const route = `POST /api/v1/apps/${app.id}/embed-token`;
  const answer = await by(route, { expiresIn: "1h", context: { owner: "C-1" }, ...more }, headers);
  expect(answer).toMatchObject({ status: 201, events: ["audit.embed_token.created"] });
  return answer.body.data as { id: string; token: string; url: string; expiresAt: string };
}

/** A browser without any session. */
const frame = () => browser(world);
const at = (token: string, path = "") => `/apps/default/${app.slug}${path}?embed_token=${token}`;
const LIST = { page: "/list" };

test("a token opens the app with its context, as the member who created it", async () => {
  const { id, token, url, expiresAt } = await issue(owner, {
    allowedOrigins: ["https://a.example", "http://localhost:3000"],
  });
  expect(new URL(url).pathname).toBe(`/apps/default/${app.slug}`);
  const { status, body, headers } = await frame()(`GET ${at(token, "/list")}`);
  expect(status).toBe(200);
  expect(body).toContain("One");
  expect(body).not.toContain("Two");
  expect(headers["content-security-policy"]).toMatch(
    /; frame-ancestors https:\/\/a\.example http:\/\/localhost:3000$/,
  );
  // The older header would keep it out of every frame.
  expect(headers).not.toHaveProperty("x-frame-options");
  const acted = await frame()(`POST ${at(token, "/_act")}`, {
    ...LIST,
    componentId: "add",
    action: "/action",
  });
  expect(acted).toMatchObject({ status: 200, events: ["record.created", "app.action_performed"] });
  const [event] = (await owner("GET /api/v1/audit?type=app.action_performed&limit=1")).body.data;
  expect(event).toMatchObject({
    actor: { id: owner.userId, type: "user" },
    data: { embedTokenId: id },
  });
  const [made] = (await owner("GET /api/v1/audit?type=audit.embed_token.created&limit=1")).body
    .data;
  expect(made).toMatchObject({
    resource: { id },
    data: { appId: app.id, expiresAt, pageId: null },
  });
  expect(JSON.stringify(made)).not.toContain(token);
  // Query parameters cannot override values that are fixed in the token.
  const more = `${at(token, "/_state")}&environment=staging`;
  const { body: same } = await frame()(`POST ${more}`, { ...LIST, params: { owner: "C-2" } });
  expect(same.data.components[0].rows.map(({ cells }: any) => cells)).toEqual([["New"], ["One"]]);
  expect(
    (await frame()(`GET ${at((await issue(owner)).token)}`)).headers["content-security-policy"],
  ).toMatch(/frame-ancestors 'self'$/);
});

test("a token for one page opens no other", async () => {
  const pageId = app.pages[1]?.id;
  const { token, url } = await issue(owner, { pageId });
  expect(new URL(url).pathname).toBe(`/apps/default/${app.slug}/list`);
  expect((await frame()(`GET ${at(token)}`)).body).toContain("<h1>List</h1>");
  expect((await frame()(`GET ${at(token, "/list")}`)).status).toBe(200);
  const home = await issue(owner, { pageId: app.pages[0]?.id });
  expect((await frame()(`GET ${at(home.token, "/list")}`)).status).toBe(403);
  expect(await frame()(`POST ${at(home.token, "/_state")}`, LIST)).toMatchObject({ status: 403 });
  const away = await frame()(`POST ${at(home.token, "/_act")}`, {
    page: "/",
    componentId: "go",
    action: "/action",
  });
  expect(away.body.data.effects).toMatchObject([{ kind: "error" }]);
  const other = await deployedApp(owner);
  const foreign = { expiresIn: "1h", pageId: other.pages[0]?.id };
  expect(await owner(`POST /api/v1/apps/${app.id}/embed-token`, foreign)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/pageId" }] },
    events: [],
  });
});

test("rejects forged, foreign, expired and revoked tokens, and tokens whose creator has left", async () => {
  const builder = await world.member(["builder"]);
  const { id, token } = await issue(builder);
  const [text = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(text, "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...claims, context: {} })).toString("base64url");
  const other = await deployedApp(owner);
  const refused = async (address: string) => {
    const page = await frame()(`GET ${address}`);
    expect(page, address).toMatchObject({ status: 403 });
    expect(page.headers["content-type"]).toContain("text/html");
    const posted = address.replace("?", "/_act?");
    const push = { page: "/", componentId: "go", action: "/action" };
    expect(await frame()(`POST ${posted}`, push)).toMatchObject({ status: 403, events: [] });
  };
  for (const bad of [
    `${forged}.${signature}`,
    `${text}.`,
    `${text}`,
    "",
    `${token}.x`,
    `${text}.${signature.slice(1)}`,
  ]) {
    await refused(at(bad));
  }
  await refused(at(token).replace(app.slug, other.slug));
  await world.workspace("someone-elses");
  await refused(at(token).replace("/default/", "/someone-elses/"));
  expect((await frame()(`GET ${at(token)}`)).status).toBe(200);

  // Fewer rights of its maker are fewer rights of the token.
  await world.sql("update memberships set roles = '{}' where user_id = $1", [builder.userId]);
  await refused(at(token));
  await world.sql("update memberships set roles = '{viewer}' where user_id = $1", [builder.userId]);
  const add = { ...LIST, componentId: "add", action: "/action" };
  const denied = await frame()(`POST ${at(token, "/_act")}`, add);
  expect(denied.body.data.effects).toMatchObject([
    { kind: "error", message: expect.stringContaining("records:write") },
  ]);
  await world.sql("update memberships set status = 'deactivated' where user_id = $1", [
    builder.userId,
  ]);
  await refused(at(token));
  await world.sql("update memberships set status = 'active' where user_id = $1", [builder.userId]);
  expect((await frame()(`GET ${at(token)}`)).status).toBe(200);

  const revoke = `DELETE /api/v1/apps/${app.id}/embed-tokens/${id}`;
  expect(await owner(revoke)).toMatchObject({ status: 204, events: ["audit.embed_token.revoked"] });
  expect(await owner(revoke)).toMatchObject({ status: 204, events: [] });
  await refused(at(token));
  const { body } = await owner(`GET /api/v1/apps/${app.id}/embed-tokens`);
  expect(body.data.find((one: any) => one.id === id)).toMatchObject({
    createdBy: builder.userId,
    revokedAt: expect.any(String),
  });
  expect(JSON.stringify(body)).not.toContain(signature);
  const route = `GET /api/v1/apps/${app.id}/embed-tokens?limit=2`;
  const first = await owner(route);
  const { nextCursor } = first.body.pagination;
  const second = await owner(`${route}&after=${nextCursor}`);
  const ids = [...first.body.data, ...second.body.data].map((one: any) => one.id);
  expect(ids).toEqual(body.data.slice(0, 4).map((one: any) => one.id));
  expect(ids).toHaveLength(4);

  const { token: brief } = await issue(owner, { expiresIn: "5m" });
  world.clock.advance(299_000);
  expect((await frame()(`GET ${at(brief)}`)).status).toBe(200);
  world.clock.advance(2_000);
  await refused(at(brief));
});

test("an embed token created with a limited API token has no more permissions", async () => {
  const scopes = ["apps:deploy", "apps:use", "records:read"];
  const { body } = await owner("POST /api/v1/auth/tokens", {
    expiresIn: "30d",
    name: "Embedder",
    scopes,
  });
  const { token } = await issue(world.asToken(body.data.token, "default"));
  expect((await frame()(`GET ${at(token, "/list")}`)).body).toContain("One");
  const add = { ...LIST, componentId: "add", action: "/action" };
  const { body: denied } = await frame()(`POST ${at(token, "/_act")}`, add);
  expect(denied.data.effects).toMatchObject([
    { kind: "error", message: expect.stringContaining("records:write") },
  ]);
});

test("the input of a token is validated", async () => {
  const bad: [string, object][] = [
    ["/expiresIn", { expiresIn: "25h" }],
    ["/expiresIn", { expiresIn: "2d" }],
    ["/expiresIn", { expiresIn: "0m" }],
    ["/expiresIn", { expiresIn: "1w" }],
    ["/context", { context: { long: "x".repeat(4_000) } }],
    ["/allowedOrigins/0", { allowedOrigins: ["https://a.example/path"] }],
    ["/allowedOrigins/0", { allowedOrigins: ["*"] }],
    ["/allowedOrigins/0", { allowedOrigins: ["https://a;b.example"] }],
    ["/allowedOrigins/0", { allowedOrigins: ["https://a.example 'unsafe-inline'"] }],
  ];
  for (const [path, more] of bad) {
    const answer = await owner(`POST /api/v1/apps/${app.id}/embed-token`, {
      expiresIn: "1h",
      ...more,
    });
    expect(answer, JSON.stringify(more)).toMatchObject({
      status: 422,
      body: { errors: [{ path }] },
      events: [],
    });
  }
  const member = await world.member(["member"]);
  const denied = await member(`POST /api/v1/apps/${app.id}/embed-token`, { expiresIn: "1h" });
  expect(denied).toMatchObject({ status: 403, events: [] });
});
