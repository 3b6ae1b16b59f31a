import { describe, expect, test } from "vitest";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { type Ask, startWorld, until, useWorld } from "#kernel/testing/world.ts";

const INVITE = "POST /api/v1/settings/users/invite";
const INVITATIONS = "/api/v1/settings/users/invitations";
const ADMIN = "admin@example.com";
const bad = { status: 410, body: { code: "bad_invitation" } };
const refused = ["audit.auth.invitation_refused"];

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);

let count = 0;
const address = () => `guest-${(count += 1)}@example.com`;
const invite = async (by: Ask, more: object = {}) =>
  (await by(INVITE, { email: address(), ...more })).body.data;
const accept = (token: string, password = "a long password", at = world) =>
  at.stranger("POST /api/v1/auth/invitations/accept", { token, password });
const listed = async () =>
  (await owner(`GET ${INVITATIONS}?limit=200`)).body.data.map((one: { id: string }) => one.id);
const newest = async (type: string) =>
  (
    await world.sql(
      "select workspace_id as workspace, data from events where type = $1 order by epoch, xid, seq",
      [type],
    )
  ).at(-1);

test("open ones are listed without their token, and can be withdrawn", async () => {
  const sent = await owner(INVITE, { email: address(), roleIds: ["agent"] });
  const { id, token, url: _, ...rest } = sent.body.data;
  expect(sent.headers["location"]).toBe(`${INVITATIONS}/${id}`);
  expect(rest).toMatchObject({ roleIds: ["agent"], invitedBy: owner.userId });
  expect(await listed()).toContain(id);
  expect(JSON.stringify((await owner(`GET ${INVITATIONS}?limit=200`)).body)).not.toContain(token);
  expect(await owner(`DELETE ${INVITATIONS}/${id}`)).toMatchObject({
    status: 204,
    events: ["user.invitation_revoked"],
  });
  expect(await listed()).not.toContain(id);
  expect(await accept(token)).toMatchObject({ ...bad, events: refused });
});

test("an invalid link is recorded in the home workspace", async () => {
  expect(await accept("mri_guessed")).toMatchObject({ ...bad, events: refused });
  expect(await newest("audit.auth.invitation_refused")).toMatchObject({
    workspace: world.home,
    data: { reason: "bad_link" },
  });
});

describe("an invitation ends when its sender leaves", () => {
  test.each(["removed", "deactivated"])("who is %s", async (how) => {
    const admin = await world.member(["admin"]);
    const { token, id } = await invite(admin, { roleIds: ["admin"] });
    const path = `/api/v1/settings/users/${admin.userId}`;
    const gone =
      how === "removed"
        ? await owner(`DELETE ${path}`)
        : await owner(`PATCH ${path}`, { status: "deactivated" });
    expect(gone.events).toEqual(["user.invitation_revoked", "user.deactivated"]);
    expect(await listed()).not.toContain(id);
    expect(await accept(token)).toMatchObject({ ...bad, events: refused });
  });

  test("including invitations sent with a token", async () => {
    const person = await world.member(["owner"]);
    const { body } = await person("POST /api/v1/auth/tokens", {
      name: "t",
      expiresIn: null,
      scopes: (await owner("GET /api/v1/settings/permissions")).body.data.map(
        ({ name }: { name: string }) => name,
      ),
    });
    const sent = await invite(world.asToken(body.data.token, "default"));
    expect(sent.invitedBy).toBe(person.userId);
    const gone = await owner(`DELETE /api/v1/settings/users/${person.userId}`);
    expect(gone.events).toEqual(["user.invitation_revoked", "user.deactivated"]);
  });

  test("and is invalid while the sender may not grant its roles", async () => {
    const admin = await world.member(["admin"]);
    const { token } = await invite(admin, { roleIds: ["builder"] });
    const roles = `/api/v1/settings/users/${admin.userId}/roles`;
    await owner(`DELETE ${roles}/admin`);
    expect(await accept(token)).toMatchObject({ ...bad, events: refused });
    expect((await newest("audit.auth.invitation_refused")).data.reason).toBe("sender_lacks_right");
    await owner(`POST ${roles}`, { roleId: "admin" });
    expect(await accept(token)).toMatchObject({ status: 200, events: ["user.activated"] });
  });
});

test("a custom role can't be deleted while an open invitation uses it", async () => {
  const { body } = await owner("POST /api/v1/settings/roles", {
    name: "For a guest",
    permissions: ["audit:read"],
  });
  const { id } = await invite(owner, { roleIds: [body.data.id] });
  const path = `DELETE /api/v1/settings/roles/${body.data.id}`;
  expect(await owner(path)).toMatchObject({
    status: 409,
    body: { code: "role_in_use" },
    events: [],
  });
  await owner(`DELETE ${INVITATIONS}/${id}`);
  expect(await owner(path)).toMatchObject({ status: 204, events: ["audit.role.deleted"] });
});

describe("to a person with an account", () => {
  test("a wrong password is a failed login, here and in the account's workspace, and takes as long", async () => {
    await using apart = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "3" } });
    const place = await apart.workspace("trap");
    const { token } = await invite(await apart.member(["owner"], place), { email: ADMIN });
    const answers = [];
    for (let index = 0; index < 4; index += 1) {
      answers.push(await accept(token, `guess number ${index}`, apart));
    }
    const failed = ["audit.auth.login_failed", "audit.auth.login_failed"];
    expect(answers.map(({ status, events }) => [status, events])).toEqual([
      [403, failed],
      [403, failed],
      [403, failed],
      [429, []],
    ]);
    const rows = await apart.sql(
      "select distinct workspace_id as key from events where type = 'audit.auth.login_failed'",
    );
    expect(rows.map(({ key }) => key).toSorted()).toEqual([place.key, apart.home].toSorted());
    expect(await accept(token, TEST_PASSWORD, apart)).toMatchObject({ status: 429 });
    apart.clock.advance(60_000);
    expect(await accept(token, TEST_PASSWORD, apart)).toMatchObject({
      status: 200,
      events: ["user.activated"],
    });
  });

  test("requires users without a password to set a password first", async () => {
    const { userId } = await world.member(["viewer"]);
    const there = await world.member(["owner"], await world.workspace("second-home"));
    const { token } = await invite(there, { email: `${userId}@example.com` });
    expect(await accept(token)).toMatchObject({
      status: 409,
      body: { code: "account_without_password" },
      events: refused,
    });
  });

  test("rejects an account that is already a member", async () => {
    const { userId } = await world.member(["viewer"]);
    await world.sql(
      `update users set password_hash = (select password_hash from users where email = $2)
        where id = $1`,
      [userId, ADMIN],
    );
    const place = await world.workspace("third-home");
    const there = await world.member(["owner"], place);
    const { token } = await invite(there, { email: `${userId}@example.com` });
    await world.sql(
      `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
       values ($1, $2, '{viewer}', now(), now())`,
      [place.key, userId],
    );
    expect(await accept(token, TEST_PASSWORD)).toMatchObject({
      status: 409,
      body: { code: "already_member" },
      events: [],
    });
  });
});

test("expired invitations, links and addresses are pruned", async () => {
  await using apart = await startWorld({
    work: true,
    env: { MILLRACE_SMTP_URL: "smtp://127.0.0.1:9" },
  });
  const login = { email: ADMIN, password: TEST_PASSWORD };
  await apart.stranger("POST /api/v1/auth/token", login);
  await apart.stranger("POST /api/v1/auth/password/forgot", { email: ADMIN });
  await invite(await apart.member(["owner"]));
  const left = async () =>
    (
      await apart.sql(`select (select count(*)::int from invitations) as invitations,
                              (select count(*)::int from password_resets) as resets,
                              (select count(*)::int from known_addresses) as addresses`)
    )[0];
  expect(await left()).toEqual({ invitations: 1, resets: 1, addresses: 1 });
  apart.clock.advance(8 * 24 * 3_600_000);
  await until(async () => (await left()).invitations === 0 && (await left()).resets === 0);
  expect((await left()).addresses).toBe(1);
  apart.clock.advance(82 * 24 * 3_600_000);
  // Advances one day at a time: the job may already be running, and runs again a day after its end.
  await until(async () => {
    apart.clock.advance(24 * 3_600_000);
    return (await left()).addresses === 0;
  });
});

test("two invitations to one new address, accepted concurrently, create one account", async () => {
  await using apart = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
  const email = "twice@example.com";
  const places = [undefined, await apart.workspace("second-home")];
  const tokens: string[] = [];
  for (const place of places) {
    const boss = await apart.member(["owner"], place);
    tokens.push((await boss("POST /api/v1/settings/users/invite", { email })).body.data.token);
  }
  const accept = (token: string) =>
    apart.stranger("POST /api/v1/auth/invitations/accept", { token, password: "a long password" });
  const answers = await Promise.all(tokens.map(accept));
  expect(answers.map(({ status }) => status === 200 || status === 409)).toEqual([true, true]);
  for (const [index, { status }] of answers.entries()) {
    if (status === 409) expect(await accept(tokens[index] ?? "")).toMatchObject({ status: 200 });
  }
  expect(await apart.sql("select from users where email = $1", [email])).toHaveLength(1);
});
