import { describe, expect, test } from "vitest";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import {
  basic,
  CALLBACK,
  exchangeBody,
  FORM,
  newestReason,
  refreshBody,
  REFUSED,
  register,
  REUSED,
  type TestApplication,
} from "../testing/authorization-flow.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);
const application = await register(owner);

const exchange = (body: unknown, headers: Record<string, string> = {}) =>
  world.stranger("POST /api/v1/oauth/token", body, headers);
const me = async (token: string) =>
  (await world.asToken(token, "default")("GET /api/v1/auth/me")).status;

describe("a code", () => {
  test("is exchanged for tokens that act as the user within the scopes", async () => {
    const answer = await exchange(await exchangeBody(world, owner.token, application));
    expect(answer).toMatchObject({ status: 200, events: ["audit.oauth_token.issued"] });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^mro_[\w-]{43}$/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^mrr_[\w-]{43}$/),
      scope: "profile workspaces:read",
    });
    const holder = world.asToken(answer.body.access_token, "default");
    const { body } = await holder("GET /api/v1/auth/me");
    expect(body.data).toMatchObject({
      user: { id: owner.userId },
      permissions: ["profile", "workspaces:read"],
      authenticatedBy: "oauth",
    });
    expect(await holder("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    expect(await holder("PATCH /api/v1/workspaces/default", { name: "X" })).toMatchObject({
      status: 403,
      events: [],
    });
  });

  test("accepts a form or JSON", async () => {
    const body = await exchangeBody(world, owner.token, application);
    const form = new URLSearchParams(body).toString();
    expect(await exchange(form, FORM)).toMatchObject({ status: 200 });
  });

  test("works once: a second use revokes the tokens of the first", async () => {
    const body = await exchangeBody(world, owner.token, application);
    const tokens = (await exchange(body)).body;
    expect(await me(tokens.access_token)).toBe(200);
    expect(await exchange(body)).toMatchObject(REUSED);
    expect(await me(tokens.access_token)).toBe(401);
    expect(await exchange(refreshBody(tokens, application))).toMatchObject(REFUSED);
    expect(await newestReason(owner, application)).toBe("revoked");
  });

  test("works once, also under concurrency", async () => {
    const body = await exchangeBody(world, owner.token, application);
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(body)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(await me(won[0]?.body.access_token)).toBe(401);
  });

  test("expires after sixty seconds", async () => {
    await using late = await startWorld();
    const person = await late.member(["owner"]);
    const body = await exchangeBody(late, person.token, await register(person));
    late.clock.advance(60_000);
    expect(await late.stranger("POST /api/v1/oauth/token", body)).toMatchObject(REFUSED);
  });

  test.each([
    ["another verifier", { code_verifier: "w".repeat(43) }, "wrong_verifier"],
    ["a verifier that is too short", { code_verifier: "short" }, "wrong_verifier"],
    ["another address", { redirect_uri: `${CALLBACK}/` }, "wrong_redirect_uri"],
    ["another code", { code: "mrc_guess" }, "unknown_token"],
  ])("is rejected with %s, and stays valid", async (_, change, reason) => {
    const body = await exchangeBody(world, owner.token, application);
    expect(await exchange({ ...body, ...change })).toMatchObject(REFUSED);
    expect(await newestReason(owner, application)).toBe(reason);
    expect(await exchange(body)).toMatchObject({ status: 200 });
  });

  test("rejects another client", async () => {
    const other = await register(owner);
    const body = await exchangeBody(world, owner.token, application);
    const stolen = { ...body, client_id: other.clientId };
    expect(await exchange(stolen)).toMatchObject(REFUSED);
    expect(await newestReason(owner, other)).toBe("wrong_client");
    const apart = await world.member(["owner"], await world.workspace("apart"));
    const foreign = await register(apart);
    expect(await exchange({ ...body, client_id: foreign.clientId })).toMatchObject(REFUSED);
    expect(await exchange(body)).toMatchObject({ status: 200 });
  });

  test("does not exceed the user's permissions at the time of use", async () => {
    const person = await world.member(["builder"]);
    const wide = await register(owner, { allowedScopes: ["profile", "oauth_applications:write"] });
    const scope = { scope: "profile oauth_applications:write" };
    const body = await exchangeBody(world, person.token, wide, scope);
    await world.sql("update memberships set roles = '{viewer}' where user_id = $1", [
      person.userId,
    ]);
    expect(await exchange(body)).toMatchObject({ status: 200, body: { scope: "profile" } });
  });

  test.each(["code", "redirect_uri", "code_verifier", "client_id", "grant_type"])(
    "rejects a request without %s",
    async (name) => {
      const { [name]: _, ...body } = await exchangeBody(world, owner.token, application);
      const none = { status: 400, body: { error: "invalid_request" }, events: [] };
      expect(await exchange(body)).toMatchObject(none);
      expect(await exchange({ ...body, [name]: "" })).toMatchObject({ status: 400, events: [] });
    },
  );
});

describe("a client", () => {
  test("may authenticate with its secret, in the body or with HTTP Basic", async () => {
    const { clientId, clientSecret } = application;
    const body = await exchangeBody(world, owner.token, application);
    expect(await exchange({ ...body, client_secret: clientSecret })).toMatchObject({ status: 200 });
    const { client_id: _, ...without } = await exchangeBody(world, owner.token, application);
    const answer = await exchange(new URLSearchParams(without).toString(), {
      ...FORM,
      ...basic(clientId, clientSecret),
    });
    expect(answer).toMatchObject({ status: 200 });
  });

  test("rejects a wrong secret, and the workspace records it", async () => {
    const body = await exchangeBody(world, owner.token, application);
    const wrong = {
      status: 401,
      body: { error: "invalid_client", error_description: expect.any(String) },
      events: ["audit.oauth_token.refused"],
    };
    const inBody = await exchange({ ...body, client_secret: "mrcs_guess" });
    expect(inBody).toMatchObject(wrong);
    expect(inBody.headers["content-type"]).toMatch(/^application\/json/);
    expect(Object.keys(inBody.body)).toEqual(["error", "error_description"]);
    expect(await newestReason(owner, application)).toBe("wrong_secret");
    const byBasic = await exchange(body, basic(application.clientId, "mrcs_guess"));
    expect(byBasic).toMatchObject(wrong);
    expect(byBasic.headers["www-authenticate"]).toMatch(/^Basic/);
    expect(await exchange(body)).toMatchObject({ status: 200 });
  });

  test("must use only one authentication method", async () => {
    const body = await exchangeBody(world, owner.token, application);
    const { clientId, clientSecret } = application;
    const twice = { ...body, client_secret: clientSecret };
    for (const [sent, name] of [
      [twice, clientId],
      [body, "oac_other"],
    ] as const) {
      expect(await exchange(sent, basic(name, clientSecret))).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
        events: [],
      });
    }
  });

  test("rejects an unregistered client", async () => {
    const body = await exchangeBody(world, owner.token, application);
    const unknown = { status: 401, body: { error: "invalid_client" }, events: [] };
    expect(await exchange({ ...body, client_id: "oac_unknown" })).toMatchObject(unknown);
    const garbled = { authorization: "Basic %%%" };
    const { client_id: _, ...nameless } = body;
    expect(await exchange(nameless, garbled)).toMatchObject(unknown);
  });

  test("returns OAuth errors in all cases", async () => {
    const plain = { "content-type": "text/plain" };
    expect(await exchange({ grant_type: "password", client_id: "x" })).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
    const wanted = { grant_type: "password", client_id: application.clientId };
    expect(await exchange(wanted)).toMatchObject({
      status: 400,
      body: { error: "unsupported_grant_type" },
      events: [],
    });
    for (const [body, headers, status] of [
      ["{ not json", {}, 400],
      ["a=b&a=c", FORM, 400],
      ["text", plain, 415],
      [{ grant_type: 7 }, {}, 400],
    ] as const) {
      expect(await exchange(body, headers)).toMatchObject({
        status,
        body: { error: "invalid_request" },
        events: [],
      });
    }
  });

  test("allows ten attempts a minute per address", async () => {
    await using limited = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "3" } });
    const person = await limited.member(["owner"]);
    const [one, two] = [await register(person), await register(person)];
    const guess = ({ clientId }: TestApplication) =>
      limited.stranger("POST /api/v1/oauth/token", {
        grant_type: "refresh_token",
        refresh_token: "mrr_guess",
        client_id: clientId,
      });
    for (let index = 0; index < 3; index += 1) expect((await guess(one)).status).toBe(400);
    const slow = await guess(one);
    expect(slow).toMatchObject({ status: 429, body: { error: "temporarily_unavailable" } });
    expect(Number(slow.headers["retry-after"])).toBeGreaterThan(0);
    expect((await guess(two)).status).toBe(400);
    limited.clock.advance(60_000);
    expect((await guess(one)).status).toBe(400);
  });
});
