/** Tests consent with a certified authorization server, and with a non-conforming one. */
import { expect, test } from "vitest";
import { CLIENT, startOpenIdProvider } from "#domains/identity/sso/testing/openid-provider.ts";
import { useFixture } from "#kernel/testing/world.ts";
import { CONNECTORS, createConnector, useHttpConnectors } from "../testing/connector.ts";
import { json } from "../testing/upstream.ts";

const { upstream, world, owner, create, request } = await useHttpConnectors();

const oauth = (more: object) => ({
  kind: "oauth2_authorization_code",
  clientId: CLIENT.clientId,
  clientSecret: CLIENT.clientSecret,
  ...more,
});
const stub = (more: object = {}) =>
  oauth({ authorizeUrl: `${upstream.url}/auth`, tokenUrl: `${upstream.url}/token`, ...more });
const begin = async (id: string, ask = owner) => {
  const { body } = await ask(`POST ${CONNECTORS}/${id}/authorize`);
  return new URL(body.data.url);
};
const stateOf = (url: URL) => url.searchParams.get("state");

test("a member consents in the browser, and the connector uses the grant until it is withdrawn", async () => {
  const id = await create({}, stub());
  const path = `${CONNECTORS}/${id}/consent`;
  const { body: before } = await owner(`GET ${path}`);
  expect(before.data).toMatchObject({ status: "needs_consent", grantedBy: null });
  expect((await request(id)).body).toMatchObject({ code: "connector_not_authorized", status: 409 });
  const provider = await useFixture(startOpenIdProvider([before.data.redirectUri]));
  provider.seat("ada", { email: "ada@example.com" });
  const changed = await owner(`PATCH ${CONNECTORS}/${id}`, {
    auth: oauth({
      authorizeUrl: `${provider.issuer}/auth?prompt=consent`,
      tokenUrl: `${provider.issuer}/token`,
      clientAuth: "basic",
      scope: "openid offline_access",
    }),
  });
  expect(changed.body.errors).toBeUndefined();
  const back = await provider.visit((await begin(id)).href);
  expect(back.href.startsWith(before.data.redirectUri)).toBe(true);
  const code = back.searchParams.get("code");
  const given = await owner(`POST ${path}`, { code, state: stateOf(back) });
  expect([given.status, given.events]).toEqual([200, ["connector.consent_given"]]);
  expect(given.body.data.status).toBe("up");
  const tokens = () => upstream.received.map(({ headers }) => headers.authorization);
  expect((await request(id)).status).toBe(200);
  // Long after the access token expired, with concurrent calls: it is refreshed once, and rotated tokens are
  // stored.
  world.clock.advance(3_600_000);
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => request(id)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(tokens()).size).toBe(2);
  world.clock.advance(3_600_000);
  expect((await request(id)).status).toBe(200);
  const { body: after } = await owner(`GET ${path}`);
  expect(after.data).toMatchObject({ status: "up", grantedBy: expect.any(String) });
  const stored = JSON.stringify(
    await world.sql("select data from events where resource_id = $1", [id]),
  );
  for (const token of new Set(tokens())) {
    const secret = String(token).replace("Bearer ", "");
    expect([
      stored.includes(secret),
      JSON.stringify(answers.map(({ body }) => body)).includes(secret),
    ]).toEqual([false, false]);
  }
  expect((await owner(`DELETE ${path}`)).events).toEqual(["connector.consent_withdrawn"]);
  expect((await request(id)).body.code).toBe("connector_not_authorized");
});

test("a consent is bound to one person, one connector and one client, and expires after ten minutes", async () => {
  upstream.answer = ({ path }, response) =>
    json(response, path === "/token" ? { access_token: "granted-token-1" } : { ok: true });
  const [id, other] = [await create({}, stub()), await create({}, stub())];
  const colleague = await world.member(["owner"]);
  const give = (connector: string, state: unknown, ask = owner) =>
    ask(`POST ${CONNECTORS}/${connector}/consent`, { code: "c", state });
  const state = stateOf(await begin(id));
  for (const refused of [
    await give(id, state, colleague),
    await give(other, state),
    await give(id, `${state}x`),
    await give(id, "nothing"),
  ]) {
    expect([refused.status, refused.body.code, refused.events]).toEqual([
      422,
      "consent_invalid",
      [],
    ]);
  }
  await owner(`PATCH ${CONNECTORS}/${id}`, { auth: stub({ clientId: "another" }) });
  expect((await give(id, state)).body.code).toBe("consent_invalid");
  const late = stateOf(await begin(id));
  world.clock.advance(600_001);
  expect((await give(id, late)).body.code).toBe("consent_invalid");
  expect((await give(id, stateOf(await begin(id)))).status).toBe(200);
  // The consenting member may change the address; if another member does, the consent ends.
  const leadTo = (path: string, ask = owner) =>
    ask(`PATCH ${CONNECTORS}/${id}`, {
      config: { baseUrl: `${upstream.url}/${path}` },
      auth: stub({ clientId: "another" }),
    });
  expect((await leadTo("own")).events).not.toContain("connector.consent_withdrawn");
  expect((await request(id)).status).toBe(200);
  expect((await leadTo("theirs", colleague)).events).toContain("connector.consent_withdrawn");
  expect((await request(id)).body.code).toBe("connector_not_authorized");
  expect((await give(id, stateOf(await begin(id)))).status).toBe(200);
  // A grant to one client is worth nothing to another.
  await owner(`PATCH ${CONNECTORS}/${id}`, { auth: stub({ clientId: "third" }) });
  expect((await owner(`GET ${CONNECTORS}/${id}/consent`)).body.data.status).toBe("needs_consent");
  const bearer = await create({}, { kind: "bearer", token: "own-token" });
  expect((await owner(`POST ${CONNECTORS}/${bearer}/authorize`)).body.code).toBe(
    "no_consent_needed",
  );
  const odd = await owner(`PATCH ${CONNECTORS}/${id}`, {
    auth: stub({ authorizeUrl: "javascript:alert(1)" }),
  });
  expect(odd.status).toBe(422);
});

test("a grant revoked upstream emits one event; a temporary failure keeps the grant", async () => {
  let answer: object = {
    access_token: "first-token-1",
    refresh_token: "refresh-token-1",
    expires_in: 60,
  };
  let status = 200;
  upstream.answer = ({ path }, response) =>
    path === "/token" ? json(response, answer, status) : json(response, { ok: true });
  const id = await create({}, stub());
  const given = await owner(`POST ${CONNECTORS}/${id}/consent`, {
    code: "c",
    state: stateOf(await begin(id)),
  });
  expect(given.status).toBe(200);
  expect((await request(id)).status).toBe(200);
  world.clock.advance(60_000);
  [answer, status] = [{ error: "temporarily_unavailable" }, 503];
  expect((await request(id)).body.code).toBe("upstream_failed");
  [answer, status] = [{ access_token: "second-token-2", expires_in: 60 }, 200];
  expect((await request(id)).status).toBe(200);
  expect(upstream.received.at(-1)?.headers.authorization).toBe("Bearer second-token-2");
  world.clock.advance(60_000);
  [answer, status] = [{ error: "invalid_grant" }, 400];
  const refused = await Promise.all([request(id), request(id), request(id)]);
  expect(refused.map(({ body }) => body.code)).toEqual(
    Array.from({ length: 3 }, () => "consent_revoked"),
  );
  expect((await owner(`GET ${CONNECTORS}/${id}/consent`)).body.data.status).toBe("expired");
  const events = await world.sql(
    "select type from events where resource_id = $1 and type like 'connector.consent_%' order by epoch, xid, seq",
    [id],
  );
  expect(events.map(({ type }) => type)).toEqual([
    "connector.consent_given",
    "connector.consent_expired",
  ]);
});

test("announces the end of a grant that only a person can renew, before it expires", async () => {
  const day = 86_400;
  upstream.answer = ({ path }, response) =>
    json(
      response,
      path === "/token"
        ? {
            access_token: "a",
            refresh_token: "b",
            expires_in: 600,
            refresh_token_expires_in: 10 * day,
          }
        : { ok: true },
    );
  const id = await create({}, stub());
  await owner(`POST ${CONNECTORS}/${id}/consent`, { code: "c", state: stateOf(await begin(id)) });
  const [due] = await world.sql(
    "select due_at, payload from jobs where kind = 'connectors.consent_expiry' and key = $1",
    [id],
  );
  const leadMs = due.payload.endsAtMs - new Date(due.due_at).getTime();
  expect(Math.round(leadMs / 1_000)).toBe(3 * day);
});

test("granted tokens are not sent elsewhere through a preset parameter or an arbitrary URL", async () => {
  upstream.answer = ({ path }, response) =>
    json(response, path.endsWith("token") ? { access_token: "granted-token-9" } : { ok: true });
  const colleague = await world.member(["owner"]);
  const moves = [
    [
      "preset",
      { preset: "gitlab", parameters: { server: upstream.url } },
      { parameters: { server: `${upstream.url}/theirs` } },
    ],
    ["preset", { preset: "gitlab", baseUrl: upstream.url }, { preset: "github" }],
    ["mcp", { url: `${upstream.url}/mcp` }, { url: `${upstream.url}/theirs` }],
    ["graphql", { url: `${upstream.url}/graphql` }, { url: `${upstream.url}/theirs` }],
  ] as const;
  for (const [type, config, change] of moves) {
    const { id } = await createConnector(owner, type, config, stub());
    const given = await owner(`POST ${CONNECTORS}/${id}/consent`, {
      code: "c",
      state: stateOf(await begin(id)),
    });
    expect(given.status).toBe(200);
    const patch = (more: object) =>
      colleague(`PATCH ${CONNECTORS}/${id}`, { config: { ...config, ...more }, auth: stub() });
    expect((await patch({ timeoutMs: 4_000 })).events).toEqual(["connector.updated"]);
    const moved = await patch(change);
    expect([moved.status, moved.events]).toEqual([
      200,
      expect.arrayContaining(["connector.consent_withdrawn"]),
    ]);
    const { body } = await owner(`GET ${CONNECTORS}/${id}/consent`);
    expect(body.data.status).toBe("needs_consent");
  }
});
