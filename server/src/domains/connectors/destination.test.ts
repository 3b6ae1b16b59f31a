/** Tests that credentials are bound to the destination they were entered for. */
import { expect, test } from "vitest";
import { CONNECTORS, useHttpConnectors } from "./testing/connector.ts";
import { CONNECTOR_TYPES } from "./types/registry.ts";

const { upstream, world, owner, create, request } = await useHttpConnectors();

const REASON = (field: string) => `must be sent again, because ${field} changes the recipient`;

interface Case {
  readonly what: string;
  readonly type: string;
  readonly config: object;
  readonly auth: object;
  readonly change: { readonly config?: object; readonly auth?: object };
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** A change that keeps the destination. */
  readonly harmless: { readonly config?: object; readonly auth?: object };
}

const basic = { kind: "basic", username: "app", password: "literal-password-5512" };
const database = { host: "db.example.com", database: "shop" };
const clientAuth = {
  kind: "oauth2_client_credentials",
  tokenUrl: "https://id.example.com/token",
  clientId: "millrace",
  clientSecret: "literal-secret-7781",
};

const CASES: readonly Case[] = [
  {
    what: "baseUrl of an HTTP API",
    type: "http",
    config: { baseUrl: "https://crm.example.com", headers: { "X-Api-Key": "literal-key" } },
    auth: { kind: "bearer", token: "literal-token-42" },
    change: { config: { baseUrl: "https://theirs.example.net", headers: { "X-Api-Key": "***" } } },
    errors: [
      { path: "/config/headers/X-Api-Key", message: REASON("/config/baseUrl") },
      { path: "/auth/token", message: REASON("/config/baseUrl") },
    ],
    harmless: {
      config: {
        baseUrl: "https://crm.example.com",
        headers: { "X-Api-Key": "***" },
        testPath: "/ping",
        timeoutMs: 500,
      },
    },
  },
  {
    what: "tokenUrl of OAuth",
    type: "http",
    config: { baseUrl: "https://crm.example.com" },
    auth: clientAuth,
    change: {
      auth: { ...clientAuth, tokenUrl: "https://theirs.example.net/token", clientSecret: "***" },
    },
    errors: [{ path: "/auth/clientSecret", message: REASON("/auth/tokenUrl") }],
    harmless: { auth: { ...clientAuth, scope: "read", clientSecret: "***" } },
  },
  {
    what: "host of a mail server",
    type: "smtp",
    config: { host: "mail.example.com" },
    auth: basic,
    change: { config: { host: "theirs.example.net" } },
    errors: [{ path: "/auth/password", message: REASON("/config/host") }],
    harmless: { config: { host: "mail.example.com", from: "desk@example.com" } },
  },
  {
    what: "encryption of a mail server",
    type: "smtp",
    config: { host: "mail.example.com" },
    auth: basic,
    change: { config: { host: "mail.example.com", security: "none" } },
    errors: [{ path: "/auth/password", message: REASON("/config/security") }],
    harmless: { config: { host: "mail.example.com", retries: 0 } },
  },
  ...["postgres", "mysql"].map((type) => ({
    what: `port of ${type}`,
    type,
    config: database,
    auth: basic,
    change: { config: { ...database, port: 6_000 } },
    errors: [{ path: "/auth/password", message: REASON("/config/port") }],
    harmless: { config: { ...database, database: "other", maxRows: 5 } },
  })),
  {
    what: "baseUrl of a preset",
    type: "preset",
    config: { preset: "github" },
    auth: { kind: "bearer", token: "literal-token-42" },
    change: { config: { preset: "github", baseUrl: "https://theirs.example.net" } },
    errors: [{ path: "/auth/token", message: REASON("/config/baseUrl") }],
    harmless: { config: { preset: "github", retries: 1 } },
  },
  {
    what: "parameters of a preset",
    type: "preset",
    config: { preset: "zendesk", parameters: { subdomain: "acme" } },
    auth: { kind: "basic", username: "a@example.com/token", password: "literal-token-42" },
    change: { config: { preset: "zendesk", parameters: { subdomain: "theirs" } } },
    errors: [{ path: "/auth/password", message: REASON("/config/parameters") }],
    harmless: { config: { preset: "zendesk", parameters: { subdomain: "acme" }, retries: 1 } },
  },
];

test.each(CASES)("changing $what discards the credentials", async (sample) => {
  const { type, config, auth, change, errors, harmless } = sample;
  const made = await owner(`POST ${CONNECTORS}`, { name: "Other", type, config, auth });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const path = `${CONNECTORS}/${made.body.data.id}`;
  const refused = await owner(`PATCH ${path}`, change);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([422, [], errors]);
  const kept = await owner(`PATCH ${path}`, harmless);
  expect([kept.status, kept.events]).toEqual([200, ["connector.updated"]]);
  const again = JSON.parse(JSON.stringify({ auth, ...change }).replaceAll("***", "entered-again"));
  const resent = await owner(`PATCH ${path}`, again);
  expect([resent.status, resent.body.errors]).toEqual([200, undefined]);
});

test("an address may change without credentials, or with references to secrets", async () => {
  await owner("POST /api/v1/secrets", { name: "CRM_TOKEN", value: "stored-token-1" });
  const open = await create();
  const byReference = await create({}, { kind: "bearer", token: "{{secrets.CRM_TOKEN}}" });
  for (const id of [open, byReference]) {
    const config = { baseUrl: `${upstream.url}/moved`, retries: 0 };
    expect((await owner(`PATCH ${CONNECTORS}/${id}`, { config })).status).toBe(200);
    expect((await request(id)).status).toBe(200);
  }
  expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    "Bearer stored-token-1",
  ]);
});

test("a member who may change connectors cannot redirect an owner's token to another address", async () => {
  const id = await create({}, { kind: "bearer", token: "owners-literal-token-42" });
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Connector editor",
    permissions: ["connectors:read", "connectors:write", "connectors:invoke"],
  });
  const editor = await world.member([role.data.id]);
  const config = { baseUrl: `${upstream.url}/theirs`, retries: 0 };
  const refused = await editor(`PATCH ${CONNECTORS}/${id}`, { config });
  expect([refused.status, refused.events]).toEqual([422, []]);
  await editor(`POST ${CONNECTORS}/${id}/invoke`, { action: "request", input: {} });
  expect(upstream.received.map(({ path }) => path)).toEqual(["/api"]);
});

test("staging credentials are not used for another address", async () => {
  const id = await create({}, { kind: "none" });
  const there = `${CONNECTORS}/${id}/environments/staging`;
  await owner(`PUT ${there}`, { auth: { kind: "bearer", token: "staging-token-8" } });
  const body = { auth: { kind: "bearer", token: "***" }, baseUrl: "https://theirs.example.net" };
  const moved = await owner(`PUT ${there}`, body);
  expect([moved.status, moved.events, moved.body.errors]).toEqual([
    422,
    [],
    [{ path: "/auth/token", message: REASON("/config/baseUrl") }],
  ]);
  const config = { baseUrl: "https://theirs.example.net" };
  const below = await owner(`PATCH ${CONNECTORS}/${id}`, { config });
  expect([below.status, below.events]).toEqual([422, []]);
  expect(below.body.errors[0].path).toBe("/config/baseUrl");
  const own = { auth: { kind: "bearer", token: "staging-token-8" }, baseUrl: upstream.url };
  expect((await owner(`PUT ${there}`, own)).status).toBe(200);
  expect((await owner(`PATCH ${CONNECTORS}/${id}`, { config })).status).toBe(200);
});

test("every address-like field of a configuration is part of the destination", () => {
  const excepted = CONNECTOR_TYPES.flatMap(({ type, config }) =>
    Object.entries(config.properties)
      .filter(([, schema]) => "x-destination" in schema && schema["x-destination"] === false)
      .map(([name]) => `${type} ${name}`),
  );
  // The OpenAPI document is fetched without credentials; its server URL is compared instead.
  expect(
    excepted.filter((name) =>
      /url|host|port|server|proxy|ssl|tls|security|cert|member/i.test(name),
    ),
  ).toEqual(["openapi url"]);
});
