import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { newPkce, requestOn } from "#domains/identity/oauth/testing/authorization-flow.ts";
import { useWorld } from "#kernel/testing/world.ts";

/** Tests a client that knows only the server URL, with the official library. */
const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const origin = await world.app.listen({ host: "127.0.0.1", port: 0 });
const builder = await world.member(["builder"]);
const CALLBACK = "http://127.0.0.1:9/callback";

class Provider implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: "Desk agent", redirect_uris: [CALLBACK] };
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

const newClient = () =>
  new Client(
    { name: "agent", version: "1.0.0" },
    { capabilities: {}, versionNegotiation: { mode: "auto" } },
  );

/** Opens a page of the authorization server in the browser of a signed-in member. */
const visit = (url: string | URL, token: string | undefined) =>
  fetch(new URL(url, `${origin}/oauth/`), {
    headers: token === undefined ? {} : { cookie: `millrace_session=${token}` },
    redirect: "manual",
  });
const decide = (page: string, token: string, decision: string) =>
  fetch(`${origin}/oauth/authorize`, {
    method: "POST",
    headers: { cookie: `millrace_session=${token}`, origin },
    body: new URLSearchParams({ request: requestOn(page), decision }),
    redirect: "manual",
  });

/** From an address to an agent that is connected. */
async function connect(path: string, token: string, decision = "allow") {
  const provider = new Provider();
  const open = () =>
    new StreamableHTTPClientTransport(new URL(path, origin), { authProvider: provider });
  const transport = open();
  await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError);
  if (!provider.visit) throw new Error("The client sent nobody to the authorization server.");
  const page = await (await visit(provider.visit, token)).text();
  const answer = await decide(page, token, decision);
  const back = new URL(answer.headers.get("location") ?? "").searchParams;
  await transport.finishAuth(back);
  const client = newClient();
  await client.connect(open());
  return { client, provider, page };
}

test("connects with only the URL, uses the client name, and stops after revocation", async () => {
  const { client, provider, page } = await connect("/mcp", builder.token);
  expect(page).toContain("This application is not registered in the workspace");
  expect(provider.grant?.scope?.split(" ")).toContain("workflows:write");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("create_workflow");
  const draft = { name: "By a client", trigger: { type: "manual" }, nodes: [], edges: [] };
  await client.callTool({ name: "create_workflow", arguments: draft });
  const owner = await world.member(["owner"]);
  const { body } = await owner("GET /api/v1/audit?type=workflow.created&limit=1");
  expect(body.data[0].actor).toMatchObject({ name: "Desk agent", type: "api_token" });
  const consents = await builder("GET /api/v1/oauth/consents");
  const [consent] = consents.body.data.consents;
  expect(consent).toMatchObject({ name: "Desk agent", clientId: provider.client?.client_id });
  // It belongs to no workspace, so application managers cannot read, change or delete it.
  const path = `/api/v1/oauth/applications/${consent.clientId}`;
  expect((await owner(`GET ${path}`)).status).toBe(404);
  expect((await owner(`PATCH ${path}`, { name: "Mine" })).status).toBe(404);
  expect((await owner(`DELETE ${path}`)).status).toBe(404);
  expect((await owner("GET /api/v1/oauth/applications")).body.data).toEqual([]);
  await builder(`DELETE /api/v1/oauth/consents/${consent.clientId}`);
  await expect(client.listTools()).rejects.toThrow();
});

test("a member grants only read access, and chooses a workspace", async () => {
  const { client, provider } = await connect("/mcp", builder.token, "allow_reading");
  const scopes = provider.grant?.scope?.split(" ") ?? [];
  expect(scopes).toContain("workflows:read");
  expect(scopes.filter((scope) => /:(?!read$|connect$)/.test(scope))).toEqual([]);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("create_workflow");
  const second = await world.workspace("second");
  const person = await world.member(["builder"], second);
  await world.sql(
    `insert into memberships (workspace_id, user_id, roles, status, created_at, updated_at)
       select key, $1, '{viewer}', 'active', now(), now() from workspaces where slug = 'default'`,
    [person.userId],
  );
  const named = await connect("/mcp?workspace=second", person.token);
  expect(named.page).not.toContain("Choose a workspace");
  const anonymous = new Provider();
  anonymous.client = named.provider.client;
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", origin), {
    authProvider: anonymous,
  });
  await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError);
  const choice = await (await visit(anonymous.visit ?? "", person.token)).text();
  expect(choice).toContain("Choose a workspace");
  const [, link = ""] = /<a href="([^"]*workspace=second)"/.exec(choice) ?? [];
  const page = await (await visit(link.replaceAll("&#38;", "&"), person.token)).text();
  expect(page).toContain("Allow Desk agent to act for you?");
  const foreign = new URL(anonymous.visit ?? "");
  foreign.searchParams.set("workspace", "second");
  const closed = await visit(foreign, builder.token);
  expect(closed.status).toBe(403);
  // A missing workspace is indistinguishable from one without access, also for signed-in members.
  const nowhere = new URL(foreign);
  nowhere.searchParams.set("workspace", "nowhere");
  const unknown = await visit(nowhere, builder.token);
  const blank = (text: string) => text.replaceAll(/nowhere|second/g, "…");
  expect([unknown.status, blank(await unknown.text())]).toEqual([403, blank(await closed.text())]);
  const [here, there] = [await visit(foreign, undefined), await visit(nowhere, undefined)];
  expect(here.status).toBe(there.status);
  expect(blank(await here.text())).toBe(blank(await there.text()));
  foreign.searchParams.set("resource", "https://elsewhere.example.com/mcp");
  const refused = await visit(foreign, person.token);
  expect(refused.headers.get("location")).toContain("error=invalid_target");
});

test("self-registered clients are limited in number, have no secret, and are deleted if unused", async () => {
  const register = (body: object) => world.stranger("POST /api/v1/oauth/register", body);
  const made = await register({
    redirect_uris: [CALLBACK],
    client_name: " Bad\u202e\nname ",
    scope: "mcp:connect roles:write nothing:known",
  });
  expect(made).toMatchObject({
    status: 201,
    events: ["audit.oauth_application.registered"],
    body: {
      token_endpoint_auth_method: "none",
      client_name: "Bad name",
      scope: "mcp:connect roles:write",
    },
  });
  expect(made.body).not.toHaveProperty("client_secret");
  const { client_id } = made.body;
  for (const uri of [
    "https://a.example/#x",
    "javascript:alert(1)",
    "http://a.example/cb",
    "desk:/cb",
  ]) {
    expect(await register({ redirect_uris: [uri] })).toMatchObject({
      status: 400,
      body: { error: "invalid_redirect_uri" },
      events: [],
    });
  }
  expect(
    (await register({ redirect_uris: [CALLBACK], grant_types: ["implicit"] })).body.error,
  ).toBe("invalid_client_metadata");
  // A client gets no more permissions than its member has, whatever it requests.
  const { challenge } = newPkce();
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: "S256",
    scope: "mcp:connect roles:write",
  });
  const page = await (await visit(`authorize?${query.toString()}`, builder.token)).text();
  expect(page).toContain("can't allow: roles:write");
  const body = {
    grant_type: "authorization_code",
    client_id,
    code: "mrc_x",
    redirect_uri: CALLBACK,
  };
  const token = await world.stranger("POST /api/v1/oauth/token", { ...body, code_verifier: "v" });
  expect(token).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  const introspect = { client_id, client_secret: "guess", token: "mro_x" };
  expect((await world.stranger("POST /api/v1/oauth/introspect", introspect)).status).toBe(401);
  await world.sql(
    `insert into oauth_applications (client_id, workspace_id, name, redirect_uris, allowed_scopes, created_at, updated_at)
       select 'oac_flood' || n, null, 'x', '{}', '{}', $1::timestamptz, $1::timestamptz from generate_series(1, 1000) n`,
    [world.clock.now()],
  );
  expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(429);
  // A full limit does not block registrations for a day.
  await world.sql(
    "update oauth_applications set created_at = created_at - interval '61 minutes' where client_id like 'oac_flood%'",
  );
  expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(201);
});

test("a self-registered client is always an agent, and only for members who may use agents", async () => {
  const { body } = await world.stranger("POST /api/v1/oauth/register", {
    redirect_uris: [CALLBACK],
    scope: "workflows:write",
  });
  expect(body.scope).toBe("mcp:connect workflows:write");
  const { challenge } = newPkce();
  const query = new URLSearchParams({
    response_type: "code",
    client_id: body.client_id,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: "S256",
    scope: "workflows:write",
  });
  const page = await (await visit(`authorize?${query.toString()}`, builder.token)).text();
  expect(page).toContain("<code>mcp:connect</code>");
  const owner = await world.member(["owner"]);
  const role = await owner("POST /api/v1/settings/roles", {
    name: "Writer",
    permissions: ["workflows:read", "workflows:write"],
  });
  const writer = await world.member([role.body.data.id]);
  const refused = await visit(`authorize?${query.toString()}`, writer.token);
  expect(refused.headers.get("location")).toContain("error=access_denied");
});
