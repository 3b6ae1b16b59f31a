import { expect, test } from "vitest";
import { passkeyAnswer, somebody, withKey } from "#domains/identity/mfa/testing/people.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const SESSIONS = "/api/v1/auth/sessions";

test("lists own sessions with origin and revokes a session immediately", async () => {
  const { ask, login } = await somebody(world);
  const { body } = await login();
  const other = world.asToken(body.data.token);
  // One start time is from the database clock, the other from the clock of this process.
  const listed = (await ask(`GET ${SESSIONS}`)).body.data.toSorted(
    (a: any, b: any) => a.current - b.current,
  );
  expect(listed).toMatchObject([
    { current: false, address: "127.0.0.1", client: "lightMyRequest" },
    { current: true },
  ]);
  // A person cannot end sessions of others, and a token cannot end any.
  const stranger = await world.member(["owner"]);
  expect(await stranger(`DELETE ${SESSIONS}/${listed[0].id}`)).toMatchObject({ status: 404 });
  expect(await ask(`DELETE ${SESSIONS}/${listed[0].id}`)).toMatchObject({
    status: 204,
    events: ["audit.auth.session_revoked"],
  });
  expect(await other("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
  await login();
  expect(await ask(`POST ${SESSIONS}/revoke-others`)).toMatchObject({
    status: 200,
    body: { data: { revoked: 1 } },
    events: ["audit.auth.sessions_revoked"],
  });
  expect((await ask(`GET ${SESSIONS}`)).body.data).toMatchObject([{ current: true }]);
  const { body: made } = await stranger("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "1d",
    scopes: ["profile"],
  });
  const robot = world.asToken(made.data.token);
  expect(await robot(`GET ${SESSIONS}`)).toMatchObject({ status: 403 });
});

test("a passkey alone logs in, once per challenge, and only with user verification", async () => {
  const login = (assertion: object) => world.stranger("POST /api/v1/auth/passkey", { assertion });
  const good = await passkeyAnswer(world);
  const opened = await login(good);
  expect(opened).toMatchObject({ status: 200, events: ["audit.auth.login"] });
  expect(opened.headers["set-cookie"]).toContain("HttpOnly");
  const session = world.asToken(opened.body.data.token);
  expect(await session("GET /api/v1/auth/me")).toMatchObject({
    status: 200,
    body: { data: { user: { id: opened.body.data.user.id }, authenticatedBy: "session" } },
  });
  const refused = { status: 401, body: { code: "bad_passkey" } };
  const recorded = { ...refused, events: ["audit.auth.login_failed"] };
  expect(await login(good)).toMatchObject(recorded);
  for (const wrong of [
    { flags: 0x01 },
    { origin: "https://evil.example.com" },
    { rpId: "evil.example.com" },
    { type: "webauthn.create" },
  ]) {
    expect(await login(await passkeyAnswer(world, wrong))).toMatchObject(recorded);
  }
  // A challenge issued for a second factor is not valid for a login, and neither is an unknown challenge.
  const person = await somebody(world);
  const { key } = await withKey(person);
  const { body } = await person.login();
  const flags = 0x05;
  expect(await login(key.get(body.options, { flags }))).toMatchObject(recorded);
  expect(await login(key.get({ ...body.options, challenge: "bm9uZQ" }, { flags }))).toMatchObject(
    recorded,
  );
  const userHandle = Buffer.from("usr_somebody_else").toString("base64url");
  const { body: begun } = await world.stranger("POST /api/v1/auth/passkey/options");
  const moved = key.get(begun.data, { flags });
  expect(await login({ ...moved, response: { ...moved.response, userHandle } })).toMatchObject(
    recorded,
  );
  // An unknown passkey belongs to no account, so no failed login is recorded.
  const unknown = { ...moved, id: "bm9ib2R5", rawId: "bm9ib2R5" };
  expect(await login(unknown)).toMatchObject({ ...refused, events: [] });
});
