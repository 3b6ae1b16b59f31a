import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { afterAll, expect, test } from "vitest";
import { newPkce, requestOn } from "#domains/identity/oauth/testing/authorization-flow.ts";
import { serveTls, TEST_CA_PEM } from "#kernel/outbound/testing/server.ts";
import { fastFolder } from "#kernel/testing/fast-folder.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";

/** Tests a client whose id is the URL of its own document, with the official library. */
const CALLBACK = "http://127.0.0.1:9/callback";
const ca = join(fastFolder(), `client-document-ca-${process.pid}.pem`);
writeFileSync(ca, TEST_CA_PEM);
afterAll(() => rmSync(ca));
const world = await useWorld({
  env: {
    MILLRACE_LOGIN_RATE_LIMIT: "0",
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
    MILLRACE_OUTBOUND_CA: ca,
  },
});
const origin = await world.app.listen({ host: "127.0.0.1", port: 0 });
const builder = await world.member(["builder"]);

/** The documents by their paths. */
const documents = new Map<string, { readonly status?: number; readonly body: string }>();
const site = await useFixture(
  serveTls(({ url = "" }, response) => {
    const { status = 200, body } = documents.get(url) ?? { status: 404, body: "{}" };
    response.writeHead(status, { "content-type": "application/json", location: "/client.json" });
    response.end(body);
  }),
);
const idOf = (path: string): string => `https://127.0.0.1:${site.port}${path}`;
const describe = (path: string, more: object = {}) => ({
  client_id: idOf(path),
  client_name: "Desk agent",
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: "none",
  ...more,
});
const publish = (path: string, document: object | string, status = 200): void =>
  void documents.set(path, {
    status,
    body: typeof document === "string" ? document : JSON.stringify(document),
  });

class Provider implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: "Desk agent", redirect_uris: [CALLBACK] };
  readonly clientMetadataUrl = idOf("/client.json");
  client: StoredOAuthClientInformation | undefined;
  grant: StoredOAuthTokens | undefined;
  visit: URL | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;
  state = () => "a-state";
  clientInformation = () => this.client;
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.client = client);
  tokens = () => this.grant;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.grant = tokens);
  redirectToAuthorization = (url: URL) => void (this.visit = url);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  discoveryState = () => this.#discovery;
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.#discovery = state);
}

const visit = (url: URL | string) =>
  fetch(new URL(url, origin), {
    headers: { cookie: `millrace_session=${builder.token}` },
    redirect: "manual",
  });

test("a client has the name in its document, is saved with the first consent, and its document is reloaded after its cache time", async () => {
  publish("/client.json", describe("/client.json"));
  const provider = new Provider();
  const open = () =>
    new StreamableHTTPClientTransport(new URL("/mcp", origin), { authProvider: provider });
  const connecting = () =>
    new Client(
      { name: "agent", version: "1.0.0" },
      { capabilities: {}, versionNegotiation: { mode: "auto" } },
    );
  const transport = open();
  await expect(connecting().connect(transport)).rejects.toThrow(UnauthorizedError);
  expect(provider.client?.client_id).toBe(idOf("/client.json"));
  const page = await (await visit(provider.visit ?? "")).text();
  expect(page).toContain("Allow Desk agent to act for you?");
  expect(page).toContain(`127.0.0.1:${site.port}`);
  expect(await world.sql("select from oauth_applications")).toEqual([]);
  const answer = await fetch(`${origin}/oauth/authorize`, {
    method: "POST",
    headers: { cookie: `millrace_session=${builder.token}`, origin },
    body: new URLSearchParams({ request: requestOn(page), decision: "allow" }),
    redirect: "manual",
  });
  await transport.finishAuth(new URL(answer.headers.get("location") ?? "").searchParams);
  const client = connecting();
  await client.connect(open());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("create_workflow");
  const rows = () => world.sql("select client_id, name, document_url from oauth_applications");
  const [row, ...others] = await rows();
  expect([row.name, row.document_url, others]).toEqual(["Desk agent", idOf("/client.json"), []]);
  expect(row.client_id).toMatch(/^oac_/);
  // It is shared by all workspaces, so application managers of one workspace cannot change it.
  const path = `/api/v1/oauth/applications/${row.client_id}`;
  for (const [method, body] of [
    [`PATCH ${path}`, { allowedScopes: ["profile"] }],
    [`POST ${path}/secret/rotate`],
    [`DELETE ${path}`],
  ] as const)
    expect(await builder(method, body)).toMatchObject({ status: 404, events: [] });
  // The document is cached; after that, the page shows the new content, with the same row.
  expect(site.requests).toHaveLength(1);
  publish("/client.json", describe("/client.json", { client_name: "Renamed" }));
  expect(await (await visit(provider.visit ?? "")).text()).toContain("Allow Desk agent");
  world.clock.advance(11 * 60_000);
  expect(await (await visit(provider.visit ?? "")).text()).toContain("Allow Renamed");
  expect(site.requests).toHaveLength(2);
  await client.close();
});

test("rejects documents that violate the specification, without writes or redirects", async () => {
  const wrong: Readonly<Record<string, object | string>> = {
    "/other.json": describe("/client.json"),
    "/secret.json": describe("/secret.json", { client_secret: "s" }),
    "/basic.json": describe("/basic.json", { token_endpoint_auth_method: "client_secret_basic" }),
    "/http.json": describe("/http.json", { redirect_uris: ["http://desk.example.com/back"] }),
    "/none.json": describe("/none.json", { redirect_uris: [] }),
    "/grant.json": describe("/grant.json", { grant_types: ["password"] }),
    "/text.json": "not json",
    "/large.json": describe("/large.json", { filler: "x".repeat(20_000) }),
  };
  for (const [path, document] of Object.entries(wrong)) publish(path, document);
  publish("/moved.json", describe("/moved.json"), 302);
  const ids = [
    ...[...Object.keys(wrong), "/moved.json", "/missing.json"].map(idOf),
    // These are not valid client ids, so they are not fetched.
    `https://127.0.0.1:${site.port}/`,
    `https://user:pass@127.0.0.1:${site.port}/client.json`,
    `${idOf("/client.json")}?query=1`,
    `${idOf("/client.json")}#part`,
    idOf("/a/../client.json"),
    "https://10.0.0.1/client.json",
  ];
  const before = await world.sql("select client_id from oauth_applications");
  const { challenge } = newPkce();
  for (const id of ids) {
    // One minute for each ten, because requests are limited per address.
    world.clock.advance(61_000);
    const url = new URL("/oauth/authorize", origin);
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: id,
      redirect_uri: CALLBACK,
      code_challenge: challenge,
      code_challenge_method: "S256",
    }).toString();
    const refused = await visit(url);
    expect([refused.status, refused.headers.get("location")], id).toEqual([400, null]);
  }
  expect(await world.sql("select client_id from oauth_applications")).toEqual(before);
});

test("the server advertises support for such clients, and limits fetches by unauthenticated callers", async () => {
  const metadata = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
  world.clock.advance(61_000);
  const before = site.requests.length;
  const statuses = new Set<number>();
  for (let n = 0; n < 15; n += 1) {
    const url = new URL("/oauth/authorize", origin);
    url.search = new URLSearchParams({ client_id: idOf(`/many-${n}.json`) }).toString();
    statuses.add((await visit(url)).status);
  }
  expect(statuses).toEqual(new Set([400, 429]));
  expect(site.requests.length - before).toBe(10);
});
