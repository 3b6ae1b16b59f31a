import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;
let server: Promise<string> | undefined;

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: { "/pets": { get: { operationId: "listPets" } } },
  // It is the answer to requests for tokens, too.
  access_token: "a token of the sample",
};

/** Something that answers, for as long as the tests last. */
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

/** A connector is the same in all environments. */
async function made(owner: Ask, more: object = {}) {
  const { body } = await owner("POST /api/v1/connectors", { ...(await fresh()), ...more });
  return { params: { id: body.data.id as string }, environmentScoped: false } satisfies Arranged;
}

/** A connector that acts for whoever consents. */
async function consenting(owner: Ask) {
  const url = await baseUrl();
  const client = { clientId: "millrace", clientSecret: "sample secret" };
  const auth = { kind: "oauth2_authorization_code", authorizeUrl: url, tokenUrl: url, ...client };
  return made(owner, { auth });
}

/** Such a connector, for whoever consented. */
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

export const samples: readonly Sample[] = [
  {
    operation: "connectors.list",
    arrange: async () => ({ query: { limit: "2", type: "http", status: "unknown" } }),
  },
  { operation: "connectors.types", arrange: async () => ({ query: { limit: "2" } }) },
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
    arrange: async (owner, world) => ({
      ...(await consented(owner, await world.member(["owner"]))),
      body: { config: { baseUrl: `${await baseUrl()}/elsewhere` } },
    }),
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
