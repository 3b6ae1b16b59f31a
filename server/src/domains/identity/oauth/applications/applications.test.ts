import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { redirectUriError } from "./application.ts";
import { CALLBACK, register, tokensFor } from "../testing/authorization-flow.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const builder = await world.member(["builder"]);

const fields = { name: "Desk", redirectUris: [CALLBACK], allowedScopes: ["profile"] };

describe("applications", () => {
  test("the secret is returned once, and only its hash is stored", async () => {
    const made = await builder("POST /api/v1/oauth/applications", fields);
    expect(made).toMatchObject({
      status: 201,
      events: ["audit.oauth_application.created"],
      headers: { etag: '"1"' },
      body: { data: { ...fields, clientId: expect.stringMatching(/^oac_/) } },
    });
    const { clientId, clientSecret } = made.body.data;
    expect(clientSecret).toMatch(/^mrcs_[\w-]{43}$/);
    const read = await builder(`GET /api/v1/oauth/applications/${clientId}`);
    const { clientSecret: _, ...shown } = made.body.data;
    expect(read.body.data).toEqual(shown);
    const kept = await world.sql(
      "select (select json_agg(a)::text from oauth_applications a) || (select json_agg(e)::text from events e) as all",
    );
    expect(kept[0].all).toContain(clientId);
    expect(kept[0].all).not.toContain(clientSecret);
  });

  test("all invalid redirect URIs and scopes are reported", async () => {
    const answer = await builder("POST /api/v1/oauth/applications", {
      name: "Desk",
      redirectUris: [CALLBACK, "http://desk.example.com/callback", "not an address"],
      allowedScopes: ["profile", "everything:all", "workspaces:*"],
    });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      "/redirectUris/1",
      "/redirectUris/2",
      "/allowedScopes/1",
      "/allowedScopes/2",
    ]);
  });

  test("requires between one and twenty different redirect URIs", async () => {
    const many = Array.from({ length: 21 }, (_, index) => `https://desk.example.com/${index}`);
    for (const redirectUris of [[], many, [CALLBACK, CALLBACK]]) {
      const answer = await builder("POST /api/v1/oauth/applications", { ...fields, redirectUris });
      expect(answer).toMatchObject({ status: 422, events: [] });
    }
  });

  test("a change affects issued tokens", async () => {
    const application = await register(builder);
    const tokens = await tokensFor(world, builder.token, application);
    const holder = world.asToken(tokens.access_token, "default");
    expect(await holder("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    const changed = await builder(`PATCH /api/v1/oauth/applications/${application.clientId}`, {
      allowedScopes: ["profile"],
    });
    expect(changed).toMatchObject({ status: 200, events: ["audit.oauth_application.updated"] });
    expect(await holder("GET /api/v1/workspaces/me")).toMatchObject({ status: 403 });
    expect(await holder("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
  });

  test("removing an application ends its tokens immediately and permanently", async () => {
    const application = await register(builder);
    const { clientId: client_id } = application;
    const tokens = await tokensFor(world, builder.token, application);
    const holder = world.asToken(tokens.access_token, "default");
    expect(await holder("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
    const gone = await builder(`DELETE /api/v1/oauth/applications/${client_id}`);
    expect(gone).toMatchObject({ status: 204, events: ["audit.oauth_application.deleted"] });
    expect(await holder("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
    const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id };
    expect(await world.stranger("POST /api/v1/oauth/token", refresh)).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
      events: [],
    });
  });

  test("a new secret replaces the old one", async () => {
    const { clientId, clientSecret } = await register(builder);
    const rotated = await builder(`POST /api/v1/oauth/applications/${clientId}/secret/rotate`);
    expect(rotated).toMatchObject({
      status: 200,
      events: ["audit.oauth_application.secret_rotated"],
    });
    const introspect = (secret: string) =>
      world.stranger("POST /api/v1/oauth/introspect", {
        token: "mro_any",
        client_id: clientId,
        client_secret: secret,
      });
    expect(await introspect(clientSecret)).toMatchObject({ status: 401 });
    expect(await introspect(rotated.body.data.clientSecret)).toMatchObject({
      status: 200,
      body: { active: false },
    });
  });

  test("lists are paged", async () => {
    const there = await world.member(["builder"], await world.workspace("paged"));
    for (let index = 0; index < 3; index += 1) await register(there);
    const first = await there("GET /api/v1/oauth/applications?limit=2");
    expect(first.body).toMatchObject({ pagination: { hasMore: true, limit: 2 } });
    const { nextCursor } = first.body.pagination;
    const rest = await there(`GET /api/v1/oauth/applications?limit=2&after=${nextCursor}`);
    expect(rest.body.data).toHaveLength(1);
    expect(JSON.stringify([first.body, rest.body])).not.toMatch(/secret/i);
  });
});

test.each([
  ["https://desk.example.com/callback", true],
  ["https://desk.example.com/callback?tenant=1", true],
  ["https://desk.example.com:8443/", true],
  ["http://localhost:3000/callback", true],
  ["http://127.0.0.1:3000/callback", true],
  ["http://[::1]:3000/callback", true],
  ["http://desk.example.com/callback", false],
  ["http://localhost.example.com/callback", false],
  ["http://127.0.0.1.example.com/callback", false],
  ["https://desk.example.com/callback#part", false],
  ["https://desk.example.com/callback#", false],
  ["https://user:word@desk.example.com/callback", false],
  ["https://desk;script-src.example.com/callback", false],
  ["com.example.desk:/callback", false],
  ["javascript:alert(1)", false],
  ["data:text/html,hello", false],
  ["/callback", false],
  ["https://", false],
  ["https://desk.example.com/call back", false],
  ["https://desk.example.com/\r\nset-cookie: a=b", false],
])("the redirect address %s is fit: %s", (uri, fit) => {
  expect(redirectUriError(uri) === undefined).toBe(fit);
});
