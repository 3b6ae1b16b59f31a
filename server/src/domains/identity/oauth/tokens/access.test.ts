import { describe, expect, test } from "vitest";
import { startWorld, until, useWorld } from "#kernel/testing/world.ts";
import {
  allow,
  basic,
  exchangeBody,
  FORM,
  newPkce,
  queryFor,
  refreshBody,
  REFUSED,
  register,
  type TestApplication,
  tokensFor,
} from "../testing/authorization-flow.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);
const application = await register(owner);

const exchange = (body: unknown, headers: Record<string, string> = {}) =>
  world.stranger("POST /api/v1/oauth/token", body, headers);
const me = async (token: string) =>
  (await world.asToken(token, "default")("GET /api/v1/auth/me")).status;

describe("an access token", () => {
  test("loses scopes that its account has lost", async () => {
    const person = await world.member(["builder"]);
    const app = await register(owner, { allowedScopes: ["profile", "oauth_applications:read"] });
    const scope = { scope: "profile oauth_applications:read" };
    const tokens = await tokensFor(world, person.token, app, scope);
    const holder = world.asToken(tokens.access_token, "default");
    expect(await holder("GET /api/v1/oauth/applications")).toMatchObject({ status: 200 });
    const { body } = await owner("GET /api/v1/settings/roles");
    const viewer = body.data.find(({ name }: { name: string }) => name === "viewer").id;
    const builder = body.data.find(({ name }: { name: string }) => name === "builder").id;
    const roles = `/api/v1/settings/users/${person.userId}/roles`;
    await owner(`POST ${roles}`, { roleId: viewer });
    await owner(`DELETE ${roles}/${builder}`);
    expect(await holder("GET /api/v1/oauth/applications")).toMatchObject({ status: 403 });
    expect(await holder("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
  });

  test("cannot create an API token, which would outlive the consent, or rotate one", async () => {
    const scopes = ["tokens:write", "workspaces:read"];
    const app = await register(owner, { allowedScopes: scopes });
    const { access_token } = await tokensFor(world, owner.token, app, { scope: scopes.join(" ") });
    const holder = world.asToken(access_token, "default");
    const draft = { name: "Robot", expiresIn: "1d", scopes: ["workspaces:read"] };
    const refused = { status: 403, body: { code: "forbidden" }, events: [] };
    expect(await holder("POST /api/v1/auth/tokens", draft)).toMatchObject(refused);
    const { body } = await owner("POST /api/v1/auth/tokens", draft);
    const { id } = body.data;
    expect(await holder("POST /api/v1/auth/tokens/rotate", { id })).toMatchObject(refused);
  });

  test("is valid only in the application's workspace and rejected by account operations", async () => {
    const elsewhere = await world.workspace("second-home");
    await world.sql(
      "insert into memberships (workspace_id, user_id, roles, created_at, updated_at) values ($1, $2, '{owner}', now(), now())",
      [elsewhere.key, owner.userId],
    );
    const { access_token } = await tokensFor(world, owner.token, application);
    const there = world.asToken(access_token, elsewhere.slug);
    expect(await there("GET /api/v1/workspaces/me")).toMatchObject({ status: 403 });
    const holder = world.asToken(access_token, "default");
    expect(await holder("POST /api/v1/auth/mfa/totp/enroll")).toMatchObject({
      status: 403,
      events: [],
    });
    const { body } = await holder("GET /api/v1/workspaces");
    expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(["default"]);
  });

  test("reads its account only with the scope profile", async () => {
    const scope = { scope: "workspaces:read" };
    const { access_token } = await tokensFor(world, owner.token, application, scope);
    expect(await me(access_token)).toBe(403);
  });
});

describe("revocation", () => {
  const revoke = (body: Record<string, string>) =>
    world.stranger("POST /api/v1/oauth/revoke", body);

  test("of an access token ends that token", async () => {
    const tokens = await tokensFor(world, owner.token, application);
    expect(await me(tokens.access_token)).toBe(200);
    const body = { token: tokens.access_token, client_id: application.clientId };
    const hint = { ...body, token_type_hint: "refresh_token" };
    expect(await revoke(hint)).toMatchObject({
      status: 200,
      events: ["audit.oauth_token.revoked"],
    });
    expect(await me(tokens.access_token)).toBe(401);
    expect(await revoke(body)).toMatchObject({
      status: 200,
      events: ["audit.oauth_token.refused"],
    });
    expect(await exchange(refreshBody(tokens, application))).toMatchObject({ status: 200 });
  });

  test("of a refresh token ends its grant", async () => {
    const tokens = await tokensFor(world, owner.token, application);
    const body = { token: tokens.refresh_token, client_id: application.clientId };
    expect(await revoke(body)).toMatchObject({
      status: 200,
      events: ["audit.oauth_token.revoked"],
    });
    expect(await me(tokens.access_token)).toBe(401);
    expect(await exchange(refreshBody(tokens, application))).toMatchObject(REFUSED);
  });

  test("requires the client that the token was issued to", async () => {
    const other = await register(owner);
    const { access_token } = await tokensFor(world, owner.token, application);
    expect(await revoke({ token: access_token, client_id: other.clientId })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
      events: ["audit.oauth_token.refused"],
    });
    const wrong = { token: access_token, client_id: application.clientId, client_secret: "x" };
    expect(await revoke(wrong)).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
      events: ["audit.oauth_token.refused"],
    });
    expect(await me(access_token)).toBe(200);
  });
});

describe("introspection", () => {
  const introspect = (token: string, app: TestApplication = application) =>
    world.stranger("POST /api/v1/oauth/introspect", new URLSearchParams({ token }).toString(), {
      ...FORM,
      ...basic(app.clientId, app.clientSecret),
    });

  test("reports a client's own valid tokens", async () => {
    const seconds = () => Math.floor(world.clock.nowMs() / 1000);
    const before = seconds();
    const tokens = await tokensFor(world, owner.token, application);
    const after = seconds();
    const { body } = await introspect(tokens.access_token);
    expect(body).toEqual({
      active: true,
      scope: "profile workspaces:read",
      client_id: application.clientId,
      username: `${owner.userId}@example.com`,
      token_type: "Bearer",
      exp: expect.any(Number),
      iat: expect.any(Number),
      sub: owner.userId,
      iss: "http://localhost:80",
    });
    expect(body.exp - body.iat).toBe(3600);
    expect(body.iat).toBeGreaterThanOrEqual(before);
    expect(body.iat).toBeLessThanOrEqual(after);
    expect(await introspect(tokens.refresh_token)).toMatchObject({ body: { active: true } });
    await exchange(refreshBody(tokens, application));
    expect((await introspect(tokens.refresh_token)).body).toEqual({ active: false });
  });

  test("rejects tokens of other clients, and clients without a secret", async () => {
    const other = await register(owner);
    const { access_token } = await tokensFor(world, owner.token, application);
    expect((await introspect(access_token, other)).body).toEqual({ active: false });
    expect((await introspect("mro_guess")).body).toEqual({ active: false });
    expect((await introspect(owner.token)).body).toEqual({ active: false });
    const open = { token: access_token, client_id: application.clientId };
    expect(await world.stranger("POST /api/v1/oauth/introspect", open)).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
  });
});

test("no code, token or secret is stored, logged or part of an event", async () => {
  const body = await exchangeBody(world, owner.token, application);
  const tokens = (await exchange({ ...body, client_secret: application.clientSecret })).body;
  await exchange(refreshBody(tokens, application));
  const tables = await world.sql(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  let dump = world.lines.join("\n");
  for (const { name } of tables) {
    dump += JSON.stringify(await world.sql(`select json_agg(t)::text as rows from "${name}" t`));
  }
  expect(dump).toContain(application.clientId);
  const hex = (text: string) => Buffer.from(text).toString("hex");
  for (const secret of [
    body["code"] ?? "",
    body["code_verifier"] ?? "",
    tokens.access_token,
    tokens.refresh_token,
    application.clientSecret,
  ]) {
    expect(secret.length).toBeGreaterThan(20);
    expect(dump.includes(secret) || dump.includes(hex(secret))).toBe(false);
  }
});

test("expired tokens and grants are deleted, and no others", async () => {
  await using later = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
  const person = await later.member(["owner"]);
  const app = await register(person);
  await tokensFor(later, person.token, app);
  await allow(later, person.token, queryFor(app, newPkce()));
  later.clock.advance(2 * 3_600_000 + 60_000);
  const kept = await tokensFor(later, person.token, app);
  await later.kernel.startWork();
  await until(async () => (await later.sql("select from oauth_grants")).length === 2);
  expect(await later.sql("select kind from oauth_tokens order by kind")).toEqual([
    { kind: "access" },
    { kind: "refresh" },
    { kind: "refresh" },
  ]);
  const body = refreshBody(kept, app);
  expect(await later.stranger("POST /api/v1/oauth/token", body)).toMatchObject({ status: 200 });
});
