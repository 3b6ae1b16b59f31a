import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;
let server: Promise<string> | undefined;

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: { "/pets": { get: { operationId: "listPets" } } },
  // It is the answer to requests for tokens, too.
  access_token: "a token of the sample",
};

/** Starts a server that responds, for the duration of the tests. */
function baseUrl(): Promise<string> {
  server ??= new Promise((resolve) => {
    const listening = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(DOCUMENT));
    }).listen(0, "127.0.0.1", () => {
      // A server that listens on a port has an address of this form.
      resolve(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
    });
    listening.unref();
  });
  return server;
}

async function fresh() {
  count += 1;
  return {
    name: `Sample ${count}`,
    type: "http",
    config: { baseUrl: await baseUrl(), headers: { "X-Team": "ops" } },
    auth: { kind: "bearer", token: "sample token" },
  };
}

/** Creates a connector; it is the same in all environments. */
async function made(owner: Ask, more: object = {}) {
  const { body } = await owner("POST /api/v1/connectors", { ...(await fresh()), ...more });
  return { params: { id: body.data.id as string }, environmentScoped: false } satisfies Arranged;
}

/** A connector in another environment, with its own token. */
function inStaging(connector: Awaited<ReturnType<typeof made>>) {
  return {
    ...connector,
    params: { ...connector.params, environment: "staging" },
    body: { auth: { kind: "bearer", token: "staging token" } },
  };
}

/** Creates a connector that requires consent. */
async function consenting(owner: Ask) {
  const url = await baseUrl();
  return made(owner, { auth: consentBy(url) });
}

const consentBy = (url: string) => ({
  kind: "oauth2_authorization_code",
  authorizeUrl: url,
  tokenUrl: url,
  clientId: "millrace",
  clientSecret: "sample secret",
});

/** Creates a connector with a given consent. */
async function consented(owner: Ask, by = owner) {
  const asked = await consenting(owner);
  const path = `/api/v1/connectors/${asked.params.id}`;
  const { body } = await by(`POST ${path}/authorize`);
  const state = new URL(body.data.url).searchParams.get("state");
  await by(`POST ${path}/consent`, { code: "a code", state });
  return asked;
}

async function described(owner: Ask) {
  return made(owner, { type: "openapi", config: { url: await baseUrl() } });
}

const POLLED = { "hub.challenge": "a", "hub.verify_token": "b" };

const LISTEN = `
  insert into connector_triggers (workflow_id, trigger_id, workspace_id, environment, connector_id, subject, token, created_at)
  select id, 'trigger', workspace_id, 'production', $2, '', $3, now() from workflows where id = $1`;

/** Deploys a workflow that receives webhooks of a catalogue service, at a secret URL. */
async function listening(owner: Ask, world: World, more: object = {}) {
  const connector = await made(owner, {
    type: "preset",
    config: { preset: "highlevel", baseUrl: await baseUrl() },
  });
  count += 1;
  const { body } = await owner("POST /api/v1/workflows", {
    name: `Listener ${count}`,
    trigger: { type: "connector", connectorId: connector.params.id, event: "event" },
    nodes: [{ id: "keep", type: "set", config: { values: {} } }],
    edges: [],
    ...more,
  });
  const id = body.data.id as string;
  await owner(`POST /api/v1/workflows/${id}/publish`);
  const token = `token-of-sample-${count}`;
  await world.sql(LISTEN, [id, connector.params.id, token]);
  return { id, token };
}

export const samples: readonly Sample[] = [
  {
    operation: "connectors.receive",
    arrange: async (owner, world) => {
      const { token } = await listening(owner, world);
      return { params: { token }, body: { any: "thing" }, status: 200 };
    },
  },
  {
    operation: "connectors.receive",
    name: "that queues",
    arrange: async (owner, world) => {
      const { token } = await listening(owner, world, { maxConcurrency: 1 });
      return { params: { token }, body: { any: "thing" }, status: 200 };
    },
  },
  {
    operation: "connectors.verify",
    arrange: async () => ({
      params: { token: "none" },
      query: POLLED,
      status: 404,
      partitioned: false,
      environmentScoped: false,
    }),
  },
  {
    operation: "workflows.listeners",
    arrange: async (owner, world) => {
      const { id } = await listening(owner, world);
      return { params: { id }, environmentScoped: false };
    },
  },
  {
    operation: "connectors.list",
    arrange: async () => ({ query: { limit: "2", type: "http", status: "unknown" } }),
  },
  { operation: "connectors.types", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "connectors.presets",
    arrange: async () => ({ query: { limit: "2", q: "issue", category: "developer" } }),
  },
  {
    operation: "connectors.get_preset",
    arrange: async () => ({
      params: { preset: "github" },
      partitioned: false,
      environmentScoped: false,
    }),
  },
  { operation: "connectors.create", arrange: async () => ({ body: await fresh() }) },
  { operation: "connectors.get", arrange: (owner) => made(owner) },
  { operation: "connectors.get_consent", arrange: (owner) => consenting(owner) },
  { operation: "connectors.authorize", arrange: (owner) => consenting(owner) },
  {
    operation: "connectors.consent",
    arrange: async (owner) => {
      const asked = await consenting(owner);
      const { body } = await owner(`POST /api/v1/connectors/${asked.params.id}/authorize`);
      const { searchParams } = new URL(body.data.url);
      return { ...asked, body: { code: "a code", state: searchParams.get("state") } };
    },
  },
  {
    operation: "connectors.withdraw_consent",
    arrange: (owner) => consented(owner),
  },
  {
    operation: "connectors.update",
    arrange: async (owner) => {
      const { name, config, auth } = await fresh();
      return { ...(await made(owner)), body: { name, config, auth } };
    },
  },
  {
    operation: "connectors.update",
    name: "of one that is up",
    arrange: async (owner) => {
      const connector = await made(owner);
      await owner(`POST /api/v1/connectors/${connector.params.id}/test`);
      return { ...connector, body: { auth: { kind: "none" } } };
    },
  },
  {
    operation: "connectors.update",
    name: "of one that somebody else consented to",
    arrange: async (owner, world) => {
      const url = await baseUrl();
      // A changed address discards the literal secret, so it is sent again.
      const body = { config: { baseUrl: `${url}/elsewhere` }, auth: consentBy(url) };
      return { ...(await consented(owner, await world.member(["owner"]))), body };
    },
  },
  { operation: "connectors.environments", arrange: (owner) => made(owner) },
  {
    operation: "connectors.set_environment",
    arrange: async (owner) => inStaging(await made(owner)),
  },
  {
    operation: "connectors.remove_environment",
    arrange: async (owner) => {
      const { body, ...there } = inStaging(await made(owner));
      await owner(`PUT /api/v1/connectors/${there.params.id}/environments/staging`, body);
      return there;
    },
  },
  { operation: "connectors.get_usage", arrange: (owner) => made(owner) },
  { operation: "connectors.delete", arrange: (owner) => made(owner) },
  { operation: "connectors.actions", arrange: described },
  { operation: "connectors.test", arrange: (owner) => made(owner) },
  {
    operation: "connectors.invoke",
    arrange: async (owner) => ({
      ...(await made(owner)),
      body: { action: "request", input: { path: "/pets" }, idempotencyKey: "sample" },
    }),
  },
  { operation: "connectors.refresh", arrange: described },
];
