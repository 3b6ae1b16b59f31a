import { describe, expect, test } from "vitest";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { startWorld, useWorld, type World } from "#kernel/testing/world.ts";

const EMAIL = "admin@example.com";
const world = await useWorld({
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_BASE_URL: "https://desk.example.com" },
});

const logIn = (password = TEST_PASSWORD, email = EMAIL, headers = {}) =>
  world.stranger("POST /api/v1/auth/token", { email, password }, headers);

describe("a login", () => {
  test("returns a token, the same session as a cookie, and the workspaces", async () => {
    const answer = await logIn();
    expect(answer).toMatchObject({ status: 200, events: ["audit.auth.login"] });
    const { data } = answer.body;
    expect(data).toMatchObject({
      tokenType: "Bearer",
      user: { email: EMAIL, status: "active" },
      workspaces: [{ slug: "default", roles: ["owner"] }],
    });
    expect(answer.headers["set-cookie"]).toMatch(
      new RegExp(
        `^millrace_session=${data.token}; Path=/; HttpOnly; SameSite=Lax; Expires=.*; Secure$`,
      ),
    );
    const me = await world.asToken(data.token, "default")("GET /api/v1/auth/me");
    expect(me.body.data).toMatchObject({ authenticatedBy: "session", roles: ["owner"] });
    const cookie = { cookie: `millrace_session=${data.token}` };
    expect(await world.stranger("GET /api/v1/auth/me", undefined, cookie)).toMatchObject({
      status: 200,
    });
  });

  test("the e-mail address is case-insensitive", async () => {
    expect(await logIn(TEST_PASSWORD, "Admin@Example.COM")).toMatchObject({ status: 200 });
  });

  test("returns the same response for a wrong password and an unknown address, and records both", async () => {
    const wrong = await logIn("not the password");
    const unknown = await logIn("not the password", "nobody@example.com");
    expect(wrong).toMatchObject({ status: 401, events: ["audit.auth.login_failed"] });
    expect(unknown).toMatchObject({ status: 401, events: ["audit.auth.login_failed"] });
    const plain = ({ body: { requestId: _, ...rest } }: typeof wrong) => rest;
    expect(plain(unknown)).toEqual(plain(wrong));
  });

  test("treats a deactivated account like a wrong password", async () => {
    await using apart = await startWorld();
    await apart.sql("update users set status = 'deactivated'");
    const answer = await apart.stranger("POST /api/v1/auth/token", {
      email: EMAIL,
      password: TEST_PASSWORD,
    });
    expect(answer).toMatchObject({ status: 401, body: { code: "bad_login" } });
  });

  test("no password appears in the database, the log or the events", async () => {
    await logIn("Tr0ub4dor&3-planted");
    const rows = await world.sql(
      "select row_to_json(u)::text as text from users u union all select row_to_json(e)::text from events e",
    );
    expect(rows.filter(({ text }) => text.includes("planted"))).toEqual([]);
    expect(world.lines.filter((line) => line.includes("planted"))).toEqual([]);
  });
});

describe("a session", () => {
  test("a logout ends only that session, immediately", async () => {
    const [one, two] = [(await logIn()).body.data.token, (await logIn()).body.data.token];
    expect(await world.asToken(one)("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
    expect(await world.asToken(one)("POST /api/v1/auth/logout")).toMatchObject({
      status: 204,
      events: ["audit.auth.logout"],
    });
    expect(await world.asToken(one)("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
    expect(await world.asToken(two)("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
  });

  test("expires after a week, and is deleted", async () => {
    await using apart = await startWorld();
    const { body } = await apart.stranger("POST /api/v1/auth/token", {
      email: EMAIL,
      password: TEST_PASSWORD,
    });
    apart.clock.advance(7 * 24 * 3_600_000);
    expect(await apart.asToken(body.data.token)("GET /api/v1/auth/me")).toMatchObject({
      status: 401,
    });
  });
});

describe("guessing", () => {
  const guess = (apart: World, address: string, password = "wrong") =>
    apart.stranger(
      "POST /api/v1/auth/token",
      { email: EMAIL, password },
      { "x-forwarded-for": address },
    );
  const env = { MILLRACE_TRUST_PROXY: "127.0.0.1/32", MILLRACE_LOGIN_RATE_LIMIT: "5" };

  test("is throttled by address", async () => {
    await using apart = await startWorld({ env });
    for (let index = 0; index < 5; index += 1) {
      const other = await apart.stranger(
        "POST /api/v1/auth/token",
        { email: `someone-${index}@example.com`, password: "wrong" },
        { "x-forwarded-for": "198.51.100.7" },
      );
      expect(other).toMatchObject({ status: 401 });
    }
    const sixth = await guess(apart, "198.51.100.7");
    expect(sixth).toMatchObject({ status: 429, body: { code: "rate_limited" }, events: [] });
    expect(Number(sixth.headers["retry-after"])).toBeGreaterThan(0);
    apart.clock.advance(60_000);
    expect(await guess(apart, "198.51.100.7")).toMatchObject({ status: 401 });
  });

  test("treats one IPv6 network as one address", async () => {
    await using apart = await startWorld({ env });
    const statuses = [];
    for (let index = 1; index <= 6; index += 1) {
      const answer = await apart.stranger(
        "POST /api/v1/auth/token",
        { email: `someone-${index}@example.com`, password: "wrong" },
        { "x-forwarded-for": `2001:db8:1:2:${index}::${index}` },
      );
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await guess(apart, "2001:db8:1:3::1")).toMatchObject({ status: 401 });
  });

  test("from many addresses is throttled by account, and does not lock out known addresses", async () => {
    await using apart = await startWorld({ env });
    expect(await guess(apart, "203.0.113.1", TEST_PASSWORD)).toMatchObject({ status: 200 });
    apart.clock.advance(60_000);
    const statuses = [];
    for (let index = 0; index < 8; index += 1) {
      statuses.push((await guess(apart, `198.51.100.${index}`)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    // An unknown address is throttled even with the correct password, like the attackers.
    expect(await guess(apart, "198.51.100.200", TEST_PASSWORD)).toMatchObject({ status: 429 });
    expect(await guess(apart, "203.0.113.1", TEST_PASSWORD)).toMatchObject({ status: 200 });
  });
});

test("one response contains the account and its permissions in each workspace", async () => {
  const there = await world.workspace("annex");
  const person = await world.member(["viewer"]);
  await world.sql(
    "insert into memberships (workspace_id, user_id, roles, created_at, updated_at) values ($1, $2, $3, now(), now())",
    [there.key, person.userId, ["builder"]],
  );
  const { body, events } = await person("GET /api/v1/auth/me");
  expect(events).toEqual([]);
  expect(body.data.workspaceCount).toBe(2);
  const [annex, home] = body.data.workspaces;
  expect(annex).toMatchObject({
    slug: "annex",
    roles: ["builder"],
    environments: ["production", "staging", "development"],
  });
  expect(annex.permissions).toContain("workflows:write");
  expect(home.permissions).toEqual(body.data.permissions);
  expect(home.permissions).not.toContain("workflows:write");
  const made = await person("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "30d",
    scopes: ["profile"],
  });
  const robot = world.asToken(made.body.data.token, "default");
  const seen = (await robot("GET /api/v1/auth/me")).body.data;
  expect(seen.workspaces.map(({ slug, permissions }: any) => [slug, permissions])).toEqual([
    ["default", ["profile"]],
  ]);
});
