import { expect, test } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { startUpstream } from "./testing/upstream.ts";

const upstream = await useFixture(startUpstream());
const world = await useWorld({ env: upstream.env });
const owner = await world.member(["owner"]);

const ALL = "/api/v1/connectors";
const draft = (more: object = {}) => ({
  name: "CRM",
  type: "http",
  config: { baseUrl: `${upstream.url}/api` },
  auth: { kind: "bearer", token: "tok-first-83k1" },
  ...more,
});
const lastEvent = async (): Promise<any> => (await owner("GET /api/v1/audit?limit=1")).body.data[0];

test("creates, reads, updates and deletes a connector, with events that contain no credentials", async () => {
  const added = await owner(`POST ${ALL}`, draft());
  const { id, createdAt, updatedAt, createdBy } = added.body.data;
  const shown = {
    id,
    name: "CRM",
    type: "http",
    config: { baseUrl: `${upstream.url}/api`, timeoutMs: 10_000, retries: 2 },
    auth: { kind: "bearer", token: "***" },
    document: null,
    status: "unknown",
    statusReason: null,
    statusChangedAt: null,
    createdBy,
    savedBy: createdBy,
    createdAt,
    updatedAt,
  };
  expect(added).toMatchObject({
    status: 201,
    events: ["connector.created"],
    headers: { location: `${ALL}/${id}`, etag: '"1"' },
  });
  expect(added.body).toEqual({ data: shown });
  expect(await lastEvent()).toMatchObject({
    type: "connector.created",
    environment: "production",
    resource: { type: "connector", id, displayName: "CRM" },
    data: shown,
  });
  expect((await owner(`GET ${ALL}/${id}`)).body).toEqual({ data: shown });

  const changed = await owner(`PATCH ${ALL}/${id}`, {
    name: "The CRM",
    config: { baseUrl: `${upstream.url}/v2`, timeoutMs: 500 },
    auth: { kind: "bearer", token: "tok-second-77" },
  });
  expect(changed).toMatchObject({ status: 200, events: ["connector.updated"] });
  const { data } = await lastEvent();
  expect(data).toMatchObject({ before: shown, after: { name: "The CRM" } });
  expect(data.changes).toEqual(["name", "config", "credentials"]);

  const removed = await owner(`DELETE ${ALL}/${id}`);
  expect(removed).toMatchObject({ status: 204, events: ["connector.deleted"] });
  expect((await owner(`GET ${ALL}/${id}`)).status).toBe(404);
});

test("lists are sorted by age and can be filtered", async () => {
  const ids = [];
  for (const name of ["one", "two", "three"]) {
    world.clock.advance(1);
    ids.push((await owner(`POST ${ALL}`, draft({ name }))).body.data.id);
  }
  const first = await owner(`GET ${ALL}?limit=2&type=http&status=unknown`);
  expect(first.body.data.map(({ name }: any) => name)).toEqual(["three", "two"]);
  const { nextCursor } = first.body.pagination;
  const second = await owner(`GET ${ALL}?limit=2&type=http&status=unknown&after=${nextCursor}`);
  expect(second.body.data[0].id).toBe(ids[0]);
  expect((await owner(`GET ${ALL}?type=smtp`)).body.data).toEqual([]);
});

test("a masked credential keeps its value, and a mask without a stored value is an error", async () => {
  const { body } = await owner(`POST ${ALL}`, {
    ...draft(),
    config: {
      baseUrl: upstream.url,
      headers: { "X-Api-Key": "header-key-551", Accept: "application/json" },
    },
  });
  const { id, config, auth } = body.data;
  expect(config.headers).toEqual({ "X-Api-Key": "***", Accept: "application/json" });
  const kept = await owner(`PATCH ${ALL}/${id}`, { config: { ...config, timeoutMs: 900 }, auth });
  expect(kept.body.data.config).toMatchObject({ headers: config.headers, timeoutMs: 900 });
  expect((await lastEvent()).data.changes).toEqual(["config"]);
  upstream.received.length = 0;
  await owner(`POST ${ALL}/${id}/invoke`, { action: "request" });
  expect(upstream.received[0]?.headers).toMatchObject({
    "x-api-key": "header-key-551",
    authorization: "Bearer tok-first-83k1",
  });
  const faults = await owner(`PATCH ${ALL}/${id}`, {
    config: { baseUrl: upstream.url, headers: { Cookie: "***" } },
    auth: { kind: "basic", username: "u", password: "***" },
  });
  expect(faults).toMatchObject({ status: 422, events: [] });
  expect(faults.body.errors).toEqual([
    { path: "/config/headers/Cookie", message: "has no stored value" },
    { path: "/auth/password", message: "has no stored value" },
  ]);
  // Without `auth`, the authentication is kept; an omitted header is removed.
  await owner(`PATCH ${ALL}/${id}`, { config: { baseUrl: upstream.url } });
  await owner(`POST ${ALL}/${id}/invoke`, { action: "request" });
  const { headers } = upstream.received.at(-1) ?? { headers: {} };
  expect(headers).toMatchObject({ authorization: "Bearer tok-first-83k1" });
  expect(headers).not.toHaveProperty("x-api-key");
});

test("a credential may refer to secrets, which are resolved on each use", async () => {
  await owner("POST /api/v1/secrets", { name: "CRM_TOKEN", value: "vaulted-one" });
  const { body, status } = await owner(`POST ${ALL}`, {
    ...draft(),
    auth: { kind: "bearer", token: "{{secrets.CRM_TOKEN}}" },
    config: { baseUrl: upstream.url, headers: { "X-Key": "Key {{secrets.CRM_TOKEN}}" } },
  });
  expect(status).toBe(201);
  expect(body.data.auth.token).toBe("{{secrets.CRM_TOKEN}}");
  const { id } = body.data;
  upstream.received.length = 0;
  await owner(`POST ${ALL}/${id}/invoke`, { action: "request" });
  await owner("PUT /api/v1/secrets/CRM_TOKEN", { value: "vaulted-two" });
  await owner(`POST ${ALL}/${id}/invoke`, { action: "request" });
  expect(upstream.received.map(({ headers }) => [headers.authorization, headers["x-key"]])).toEqual(
    [
      ["Bearer vaulted-one", "Key vaulted-one"],
      ["Bearer vaulted-two", "Key vaulted-two"],
    ],
  );
  await owner("DELETE /api/v1/secrets/CRM_TOKEN");
  expect(await owner(`POST ${ALL}/${id}/invoke`, { action: "request" })).toMatchObject({
    status: 422,
    body: { code: "unknown_secret" },
    events: [],
  });
  const missing = await owner(`POST ${ALL}`, {
    ...draft(),
    auth: { kind: "bearer", token: "{{secrets.NO_SUCH}}" },
  });
  expect(missing.body.errors).toEqual([
    { path: "/auth/token", message: "contains unknown secrets: NO_SUCH" },
  ]);
});

test.each([
  [{ config: {} }, "/config/baseUrl", "is required"],
  [{ config: { baseUrl: "https://x.example", colour: 1 } }, "/config/colour", "is not a known"],
  [{ config: { baseUrl: "https://x.example", timeoutMs: 60_001 } }, "/config/timeoutMs", ""],
  [{ config: { baseUrl: "https://x.example", retries: 6 } }, "/config/retries", ""],
  [{ config: { baseUrl: "nowhere" } }, "/config/baseUrl", "can't be parsed"],
  [
    { config: { baseUrl: "https://x.example", headers: { Host: "y" } } },
    "/config/headers/Host",
    "can't be set",
  ],
  [{ auth: { kind: "basic", username: "u" } }, "/auth/password", "is required"],
  [{ auth: { kind: "bearer", token: "t", scope: "s" } }, "/auth/scope", "is not allowed for"],
  [{ auth: { kind: "api_key", name: "X Key", value: "v" } }, "/auth/name", "is not valid"],
  [{ auth: { kind: "api_key", name: "Host", value: "v" } }, "/auth/name", "can't be set"],
  [{ auth: { kind: "digest" } }, "/auth/kind", "must be one of"],
  [{ type: "smtp", config: { host: "/tmp/sock" }, auth: { kind: "none" } }, "/config/host", ""],
  [{ type: "smtp", config: { host: "mail.example" } }, "/auth/kind", "must be one of none, basic"],
  [
    { type: "postgres", config: { host: "db.example" }, auth: { kind: "basic" } },
    "/config/data",
    "",
  ],
  [{ type: "slack", config: {}, auth: { kind: "none" } }, "/config/webhookUrl", "is required"],
  [{ type: "openapi", config: {} }, "/config/document", "is required without a url"],
  [{ type: "ftp" }, "/type", "must be one of"],
])("%j is refused with its place", async (more, path, message) => {
  const { status, body, events } = await owner(`POST ${ALL}`, draft(more));
  expect({ status, events }).toEqual({ status: 422, events: [] });
  expect(body.errors[0].path).toContain(path);
  expect(body.errors[0].message).toMatch(new RegExp(message));
});

test("the catalog includes schemas for all configurations, credentials and actions", async () => {
  const { body } = await owner(`GET ${ALL}/types`);
  const names = body.data.map(({ type }: any) => type);
  expect(names).toEqual([
    "anthropic",
    "gemini",
    "graphql",
    "http",
    "imap",
    "mcp",
    "mongodb",
    "mysql",
    "openai",
    "openapi",
    "postgres",
    "preset",
    "redis",
    "slack",
    "smtp",
  ]);
  for (const { config, auth, actions } of body.data) {
    expect(config).toMatchObject({
      type: "object",
      properties: { timeoutMs: { default: expect.any(Number) } },
    });
    for (const { kind, schema } of auth) expect(schema.properties.kind.const).toBe(kind);
    for (const { input } of actions) expect(input.type).toBe("object");
  }
  const byType = new Map<string, any>(body.data.map((one: any) => [one.type, one]));
  expect(byType.get("http").auth.map(({ kind }: any) => kind)).toEqual([
    "none",
    "basic",
    "bearer",
    "api_key",
    "oauth2_client_credentials",
    "oauth2_authorization_code",
    "oauth2_jwt",
    "aws_signature",
  ]);
  const secret = byType.get("http").auth[4].schema.properties.clientSecret;
  expect(secret).toMatchObject({ type: "string", writeOnly: true });
  expect(byType.get("postgres").actions.map(({ name }: any) => name)).toEqual(["query", "execute"]);
});

test("offers only the actions allowed by the connector configuration", async () => {
  const actionsOf = async (more: object): Promise<string[]> => {
    const { body } = await owner(`POST ${ALL}`, draft(more));
    const { data } = (await owner(`GET ${ALL}/${body.data.id}/actions`)).body;
    return data.map(({ name, source }: any) => `${name} of the ${source}`);
  };
  expect(await actionsOf({})).toEqual(["request of the type"]);
  const database = { host: "db.example.com", database: "d" };
  const auth = { kind: "basic", username: "u", password: "p" };
  expect(await actionsOf({ type: "postgres", config: database, auth })).toEqual([
    "query of the type",
  ]);
  const writing = { ...database, allowWrites: true };
  expect(await actionsOf({ type: "postgres", config: writing, auth })).toEqual([
    "execute of the type",
    "query of the type",
  ]);
  const webhookUrl = "https://hooks.slack.com/services/T0/B0/x";
  const none = { kind: "none" };
  expect(await actionsOf({ type: "slack", config: { webhookUrl }, auth: none })).toEqual([
    "webhook of the type",
  ]);
  expect(await actionsOf({ type: "slack", config: { webhookUrl } })).toEqual([
    "post_message of the type",
    "webhook of the type",
  ]);
});

test("changing an address or credential resets the connection status", async () => {
  const { body } = await owner(`POST ${ALL}`, draft());
  const { id } = body.data;
  expect((await owner(`POST ${ALL}/${id}/test`)).events).toEqual([
    "connector.tested",
    "connector.status_changed",
  ]);
  const renamed = await owner(`PATCH ${ALL}/${id}`, { name: "Renamed" });
  expect(renamed).toMatchObject({
    events: ["connector.updated"],
    body: { data: { status: "up" } },
  });
  const same = await owner(`PATCH ${ALL}/${id}`, { auth: { kind: "bearer", token: "***" } });
  expect(same).toMatchObject({ events: [], body: { data: { status: "up" } } });
  const other = await owner(`PATCH ${ALL}/${id}`, { auth: { kind: "none" } });
  expect(other).toMatchObject({
    events: ["connector.updated", "connector.status_changed"],
    body: { data: { status: "unknown", statusReason: "The connector was changed." } },
  });
  expect((await lastEvent()).data).toMatchObject({
    before: { status: "up" },
    after: { status: "unknown" },
    changes: ["status"],
    reason: "The connector was changed.",
  });
});

test("rejects a change that is based on an outdated revision", async () => {
  const { body } = await owner(`POST ${ALL}`, draft());
  const { id } = body.data;
  const answers = await Promise.all(
    ["a", "b", "c", "d"].map((path) =>
      owner(`PATCH ${ALL}/${id}`, {
        config: { baseUrl: `${upstream.url}/${path}` },
        auth: { kind: "bearer", token: "tok-first-83k1" },
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
});

test("read permission allows reading, and invoke permission allows invoking", async () => {
  const { body } = await owner(`POST ${ALL}`, draft());
  const { id } = body.data;
  const viewer = await world.member(["viewer"]);
  expect((await viewer(`GET ${ALL}/${id}`)).status).toBe(200);
  expect((await viewer(`GET ${ALL}/${id}/actions`)).status).toBe(200);
  for (const route of [
    `PATCH ${ALL}/${id}`,
    `POST ${ALL}/${id}/test`,
    `POST ${ALL}/${id}/invoke`,
  ]) {
    expect((await viewer(route, {})).status, route).toBe(403);
  }
  const role = await owner("POST /api/v1/settings/roles", {
    name: "Invoker",
    permissions: ["connectors:invoke"],
  });
  const invoker = await world.member([role.body.data.id]);
  expect((await invoker(`POST ${ALL}/${id}/invoke`, { action: "request" })).status).toBe(200);
  expect((await invoker(`GET ${ALL}/${id}`)).status).toBe(403);
});
