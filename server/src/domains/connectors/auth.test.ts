import { beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "#kernel/testing/world.ts";
import { CONNECTORS, useHttpConnectors } from "./testing/connector.ts";
import { json } from "./testing/upstream.ts";

const { upstream, world, owner, create: made, request } = await useHttpConnectors();

test.each([
  [{ kind: "basic", username: "ada", password: "p:ss" }, { authorization: "Basic YWRhOnA6c3M=" }],
  [{ kind: "bearer", token: "abcd-efgh" }, { authorization: "Bearer abcd-efgh" }],
  [{ kind: "api_key", name: "X-Key", value: "k-1234" }, { "x-key": "k-1234" }],
])("auth %j sets its headers, regardless of the input", async (auth, headers) => {
  const id = await made({}, auth);
  const forged = { Authorization: "Bearer forged", "X-KEY": "forged" };
  await request(id, { headers: forged });
  expect(upstream.received[0]?.headers).toMatchObject(headers);
});

test("an API key may go in the query", async () => {
  const id = await made({}, { kind: "api_key", name: "key", value: "k&1234", in: "query" });
  await request(id, { path: "/x", query: { key: "forged", q: 1 } });
  expect(upstream.received[0]?.path).toBe("/api/x?key=k%261234&q=1");
});

test("an API key in the path is scrubbed from upstream responses that repeat the path", async () => {
  const value = "1234:ab+cd/efgh";
  const id = await made({}, { kind: "api_key", name: "bot", value, in: "path" });
  upstream.answer = ({ path }, response) =>
    response.writeHead(200, { location: path }).end(JSON.stringify({ path }));
  const answers = [await request(id, { path: "/x" }), await request(id, { path: "/file/$key/x" })];
  expect(upstream.received.map(({ path }) => path)).toEqual([
    "/bot1234:ab%2Bcd%2Fefgh/api/x",
    "/api/file/bot1234:ab%2Bcd%2Fefgh/x",
  ]);
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain("efgh");
  }
});

describe("OAuth 2 client credentials", () => {
  let tokens = 0;
  const oauth = (more: object = {}) => ({
    kind: "oauth2_client_credentials",
    tokenUrl: `${upstream.url}/token`,
    clientId: "client one",
    clientSecret: "s3cret/of+client",
    scope: "read write",
    audience: "https://api.example.com",
    ...more,
  });
  const asked = () => upstream.received.filter(({ path }) => path === "/token");
  beforeEach(() => {
    tokens = 0;
    upstream.answer = ({ path, headers }, response) => {
      if (path !== "/token") return json(response, { with: headers.authorization });
      tokens += 1;
      json(response, { access_token: `access-${tokens}-token`, expires_in: 600 });
    };
  });

  test("one token serves many calls, including concurrent ones during the token request", async () => {
    const id = await made({}, oauth());
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => request(id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(asked()).toMatchObject([
      {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          authorization: `Basic ${Buffer.from("client+one:s3cret%2Fof%2Bclient").toString("base64")}`,
        },
        text: "grant_type=client_credentials&scope=read+write&audience=https%3A%2F%2Fapi.example.com",
      },
    ]);
    // The upstream repeats the token; the response scrubs it.
    expect(answers[0]?.body.data.body).toEqual({ with: "Bearer [secret token]" });
    expect(upstream.received.at(-1)?.headers.authorization).toBe("Bearer access-1-token");
  });

  test("a token is used until shortly before it expires", async () => {
    const id = await made({}, oauth({ clientAuth: "body" }));
    await request(id);
    world.clock.advance(560_000);
    await request(id);
    expect(asked()).toHaveLength(1);
    expect(asked()[0]?.text).toContain("client_id=client+one&client_secret=s3cret%2Fof%2Bclient");
    expect(asked()[0]?.headers).not.toHaveProperty("authorization");
    world.clock.advance(20_000);
    await request(id);
    expect(asked()).toHaveLength(2);
    expect(upstream.received.at(-1)?.headers.authorization).toBe("Bearer access-2-token");
  });

  test("a changed connector or a rotated secret requests a new token", async () => {
    await owner("POST /api/v1/secrets", { name: "CLIENT", value: "first-secret" });
    const id = await made({}, oauth({ clientSecret: "{{secrets.CLIENT}}" }));
    await request(id);
    await owner("PUT /api/v1/secrets/CLIENT", { value: "second-secret" });
    await request(id);
    await owner(`PATCH ${CONNECTORS}/${id}`, { name: "Other" });
    await request(id);
    await request(id);
    expect(asked()).toHaveLength(3);
  });

  test("a 401 requests a new token once", async () => {
    const id = await made({}, oauth());
    await request(id);
    const giving = upstream.answer;
    let revoked = ["Bearer access-1-token"];
    upstream.answer = (received, response) =>
      revoked.includes(received.headers.authorization ?? "")
        ? json(response, {}, 401)
        : giving(received, response);
    expect((await request(id)).status).toBe(200);
    expect(asked()).toHaveLength(2);
    revoked = ["Bearer access-2-token", "Bearer access-3-token"];
    upstream.received.length = 0;
    expect((await request(id)).body).toMatchObject({
      code: "upstream_failed",
      upstreamStatus: 401,
    });
    expect(upstream.received.map(({ path }) => path)).toEqual(["/api", "/token", "/api"]);
  });

  test("a temporary failure of the token request is retried, for all methods", async () => {
    const id = await made({ retries: 1 }, oauth());
    const giving = upstream.answer;
    upstream.answer = (received, response) =>
      upstream.received.length === 1 ? json(response, {}, 503) : giving(received, response);
    expect((await request(id, { method: "POST" })).status).toBe(200);
    expect(upstream.received.map(({ path }) => path)).toEqual(["/token", "/token", "/api"]);
  });

  test("a failed token request reports the reason", async () => {
    const id = await made({}, oauth());
    upstream.answer = (_received, response) => json(response, { error: "invalid_client" }, 400);
    expect((await request(id)).body).toMatchObject({
      status: 502,
      detail: "Can't get an access token: The other system returned the status 400.",
      upstreamStatus: 400,
      upstreamBody: { error: "invalid_client" },
    });
    upstream.answer = (_received, response) => json(response, { token: "x" });
    expect((await request(id)).body.detail).toBe(
      "Can't get an access token: the response does not contain an access_token.",
    );
  });
});

test("no response, record or log contains credentials, whatever the upstream sends", async () => {
  const PASSWORD = "pa55/wörd+planted-Zx81";
  const HEADER = "hdr-planted-key-9Qw2";
  const VAULTED = "vaulted-planted-4Lm7";
  await owner("POST /api/v1/secrets", { name: "PLANTED", value: VAULTED });
  const id = await made(
    { headers: { "X-Api-Key": HEADER, "X-Other": "{{secrets.PLANTED}}" } },
    { kind: "basic", username: "ada", password: PASSWORD },
  );
  const answers: Answer[] = [];
  for (const status of [200, 403, 500]) {
    upstream.answer = ({ headers }, response) =>
      json(
        response,
        { headers, password: PASSWORD, [HEADER]: true, long: `${"x".repeat(1_990)}${HEADER}` },
        status,
      );
    answers.push(await request(id));
    upstream.answer = ({ headers }, response) =>
      response.writeHead(status, { "x-echo": HEADER }).end(JSON.stringify(headers));
    answers.push(await request(id, { method: "POST" }, { "idempotency-key": `k${status}` }));
    answers.push(await owner(`POST ${CONNECTORS}/${id}/test`));
  }
  answers.push(await owner(`GET ${CONNECTORS}/${id}`), await owner(`GET ${CONNECTORS}`));
  expect(answers[0]?.body.data.body).toMatchObject({
    password: "[secret password]",
    "[secret X-Api-Key]": true,
    headers: { "x-other": "[secret PLANTED]" },
  });
  const tables = await world.sql(
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  );
  const rows = [];
  for (const { name } of tables) rows.push(...(await world.sql(`select t::text from ${name} t`)));
  const places = [
    ...rows.map(({ t }) => String(t)),
    ...world.lines,
    ...answers.map(({ body, headers }) => JSON.stringify([body, headers])),
  ];
  expect(places.length).toBeGreaterThan(30);
  for (const value of [PASSWORD, HEADER, VAULTED, HEADER.slice(0, 12)]) {
    const forms = [value, encodeURIComponent(value), Buffer.from(value).toString("hex")];
    const basic = Buffer.from(`ada:${PASSWORD}`).toString("base64");
    for (const form of [...forms, basic]) {
      expect(places.filter((text) => text.includes(form))).toEqual([]);
    }
  }
});
