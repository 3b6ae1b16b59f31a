import { expect, test } from "vitest";
import { hashPassword } from "#domains/identity/accounts/index.ts";
import { browser } from "#domains/identity/oauth/testing/authorization-flow.ts";
import { useWorld } from "#kernel/testing/world.ts";
import {
  beginLogin,
  postAnswer,
  refusals,
  SAML_SETTINGS,
  samlWorkspace,
  sessionIn,
} from "../testing/workspace.ts";

type Place = Awaited<ReturnType<typeof samlWorkspace>>;

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

async function signIn({ slug, provider }: Place, attributes: Record<string, string[]>) {
  const { location } = await beginLogin(world, slug);
  const back = await postAnswer(world, slug, await provider.answer(location, { attributes }));
  return { ...back, token: sessionIn(back.headers) };
}

/** A member with a password and a verified address, logged in. */
async function member(roles: readonly string[], at: { key: string; slug: string }) {
  const made = await world.member(roles, at);
  const email = `${made.userId}@example.com`;
  const hash = await hashPassword("a password of theirs");
  const text = "update users set password_hash = $2, email_verified_at = created_at where id = $1";
  await world.sql(text, [made.userId, hash]);
  return Object.assign(made, { email });
}

function logIn(email: string, password = "a password of theirs") {
  return world.stranger("POST /api/v1/auth/token", { email, password });
}

async function rolesOf(email: string, { key }: Place): Promise<string[]> {
  const [row] = await world.sql(
    `select roles from memberships m join users u on u.id = m.user_id
      where u.email = $1 and m.workspace_id = $2`,
    [email, key],
  );
  return row?.roles as string[];
}

test("without just-in-time provisioning only existing members can log in", async () => {
  const place = await samlWorkspace(world, { jitProvisioning: false });
  const known = await member(["agent"], place);
  expect(await signIn(place, { mail: ["stranger@example.com"] })).toMatchObject({
    status: 403,
    events: ["audit.sso.login_failed"],
  });
  // An account of another workspace is unknown here.
  const elsewhere = await member(["viewer"], { key: world.home, slug: "default" });
  expect(await signIn(place, { mail: [elsewhere.email] })).toMatchObject({ status: 403 });
  expect(await refusals(world, place.key)).toMatchObject([
    { reason: "user_unknown", email: "stranger@example.com" },
    { reason: "user_unknown", email: elsewhere.email },
  ]);
  expect(await world.sql("select from users where email = 'stranger@example.com'")).toEqual([]);
  expect(await signIn(place, { mail: [known.email], role: ["admin"] })).toMatchObject({
    status: 303,
    events: ["audit.auth.login"],
  });
  expect(await rolesOf(known.email, place)).toEqual(["agent"]);
});

test("the provider may name a role for a new member, but not any role", async () => {
  const place = await samlWorkspace(world);
  const { body } = await place.owner("POST /api/v1/settings/roles", {
    name: "Dispatcher",
    permissions: ["workspaces:read"],
  });
  for (const [role, roles] of [
    [["builder"], ["builder"]],
    [["Dispatcher"], [body.data.id]],
    [[body.data.id], [body.data.id]],
    [["nothing we know", "agent"], ["agent"]],
    [["nothing we know"], ["viewer"]],
    [["owner"], ["viewer"]],
    [[], ["viewer"]],
  ] as const) {
    const email = `${role.join("-").toLowerCase().replaceAll(" ", "_") || "none"}@roles.example.com`;
    expect(await signIn(place, { mail: [email], role: [...role] })).toMatchObject({ status: 303 });
    expect([role, await rolesOf(email, place)]).toEqual([role, roles]);
  }
});

test("a deleted default role admits no member by mistake", async () => {
  const place = await samlWorkspace(world);
  const made = await place.owner("POST /api/v1/settings/roles", { name: "Temp", permissions: [] });
  await place.owner("POST /api/v1/settings/sso", { ...SAML_SETTINGS, defaultRole: "Temp" });
  await place.owner(`DELETE /api/v1/settings/roles/${made.body.data.id}`);
  expect(await signIn(place, { mail: ["late@example.com"] })).toMatchObject({ status: 403 });
  expect(await refusals(world, place.key)).toMatchObject([{ reason: "role_unknown" }]);
});

test("rejects a deactivated member or account", async () => {
  const place = await samlWorkspace(world);
  const here = await member(["viewer"], place);
  await place.owner(`PATCH /api/v1/settings/users/${here.userId}`, { status: "deactivated" });
  const altogether = await member(["viewer"], place);
  await world.sql("update users set status = 'deactivated' where id = $1", [altogether.userId]);
  for (const { email } of [here, altogether]) {
    expect(await signIn(place, { mail: [email] })).toMatchObject({
      status: 403,
      events: ["audit.sso.login_failed"],
    });
  }
  const reasons = (await refusals(world, place.key)).map(({ reason }) => reason);
  expect(reasons).toEqual(["user_deactivated", "user_deactivated"]);
});

test("a session from one workspace's provider is valid only in that workspace", async () => {
  const place = await samlWorkspace(world);
  // A hostile workspace whose provider claims to authenticate an owner of another workspace.
  const victim = await member(["owner"], { key: world.home, slug: "default" });
  const { token, events } = await signIn(place, { mail: [victim.email], given: ["Some"] });
  expect(events).toEqual(["user.activated", "audit.auth.login"]);
  const there = world.asToken(token, "default");
  expect(await there("GET /api/v1/workspaces/me")).toMatchObject({
    status: 403,
    body: { code: "workspace_forbidden" },
  });
  const nowhere = world.asToken(token);
  const listed = await nowhere("GET /api/v1/workspaces");
  expect(listed.body.data.map(({ slug }: { slug: string }) => slug)).toEqual([place.slug]);
  // The provider learns nothing about the existing account of this address: it gets a new one.
  const { user } = (await nowhere("GET /api/v1/auth/me")).body.data;
  expect(user).toEqual({ id: user.id, email: victim.email, name: "Some", status: "active" });
  expect(user.id).not.toBe(victim.userId);
  expect(await logIn(victim.email)).toMatchObject({
    status: 200,
    body: { data: { user: { id: victim.userId }, workspaces: [{ slug: "default" }] } },
  });
  for (const route of ["POST /api/v1/auth/mfa/totp/enroll", "POST /api/v1/workspaces"]) {
    const body = route.endsWith("workspaces") ? { name: "Mine" } : undefined;
    expect(await nowhere(route, body)).toMatchObject({
      status: 403,
      body: { code: "session_confined" },
      events: [],
    });
  }
  expect(await world.asToken(token, place.slug)("GET /api/v1/workspaces/me")).toMatchObject({
    status: 200,
  });
  const left = await nowhere("POST /api/v1/auth/logout");
  expect(left).toMatchObject({ status: 204, events: ["audit.auth.logout"] });
  expect(await nowhere("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
});

test("with enforced single sign-on, a password cannot open an account of that workspace", async () => {
  const place = await samlWorkspace(world);
  const known = await member(["agent"], place);
  expect(await logIn(known.email)).toMatchObject({ status: 200 });
  await place.owner("POST /api/v1/settings/sso", { ...SAML_SETTINGS, enforceSSO: true });
  const refused = await logIn(known.email);
  expect(refused).toMatchObject({
    status: 403,
    body: { code: "sso_required", loginUrl: `http://localhost/sso/${place.slug}/login` },
    events: ["audit.auth.login_failed"],
  });
  expect(refused.headers["set-cookie"]).toBeUndefined();
  // Without the correct password, the response reveals none of this.
  const wrong = await logIn(known.email, "not the password");
  const nobody = await logIn("nobody@example.com", "not the password");
  expect([wrong.status, wrong.body.code]).toEqual([nobody.status, nobody.body.code]);
  expect(await signIn(place, { mail: [known.email] })).toMatchObject({ status: 303 });
  await place.owner("DELETE /api/v1/settings/sso");
  expect(await logIn(known.email)).toMatchObject({ status: 200 });
});

test("with enforced single sign-on, an invitation creates a member but no session", async () => {
  const place = await samlWorkspace(world, { enforceSSO: true });
  const email = "invited@corp.example";
  const { body } = await place.owner("POST /api/v1/settings/users/invite", { email });
  const form = { token: body.data.token, name: "Ada", password: "a long password" };
  const accepted = await browser(world)("POST /invitations", form);
  expect(accepted).toMatchObject({ status: 303, events: ["user.activated"] });
  expect(accepted.headers["set-cookie"]).toBeUndefined();
  const back = await signIn(place, { mail: [email] });
  expect(back).toMatchObject({ status: 303 });
  expect(back.token).toBeDefined();
});

test("enforcement affects only workspaces that the person agreed to join", async () => {
  const place = await samlWorkspace(world, { enforceSSO: true });
  const victim = await member(["owner"], { key: world.home, slug: "default" });
  // The account became a member before its holder had verified the address.
  await world.sql(
    `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     select $1, id, '{viewer}', email_verified_at - interval '1 day', now() from users where id = $2`,
    [place.key, victim.userId],
  );
  const session = await logIn(victim.email);
  expect(session).toMatchObject({ status: 200 });
  const own = world.asToken(session.body.data.token, "default");
  expect(await own("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  // But the enforcing workspace is closed to such a session.
  const there = world.asToken(session.body.data.token, place.slug);
  expect(await there("GET /api/v1/workspaces/me")).toMatchObject({ status: 403 });
  // An account without other workspaces has nothing to log in to.
  await world.sql("delete from memberships where user_id = $1 and workspace_id = $2", [
    victim.userId,
    world.home,
  ]);
  expect(await logIn(victim.email)).toMatchObject({ status: 403, body: { code: "sso_required" } });
  await place.owner("POST /api/v1/settings/sso", { ...SAML_SETTINGS, enforceSSO: false });
  expect(await there("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
});

test("a login by single sign-on leaves the second factor to the provider", async () => {
  const place = await samlWorkspace(world);
  await world.sql("update workspaces set enforce_mfa = true where key = $1", [place.key]);
  const { token } = await signIn(place, { mail: ["factor@example.com"] });
  expect(await world.asToken(token, place.slug)("GET /api/v1/workspaces/me")).toMatchObject({
    status: 200,
  });
});

test("two concurrent first logins of one person create one account", async () => {
  const place = await samlWorkspace(world);
  const attributes = { mail: ["twice@example.com"] };
  const both = await Promise.all([signIn(place, attributes), signIn(place, attributes)]);
  expect(both.map(({ status }) => status)).toEqual([303, 303]);
  expect(both.flatMap(({ events }) => events).toSorted()).toEqual([
    "audit.auth.login",
    "audit.auth.login",
    "user.activated",
  ]);
});

test("a removed member cannot log in, and their open session ends there", async () => {
  const place = await samlWorkspace(world);
  const { token } = await signIn(place, { mail: ["leaver@example.com"] });
  const session = world.asToken(token, place.slug);
  const me = await session("GET /api/v1/auth/me");
  await place.owner(`DELETE /api/v1/settings/users/${me.body.data.user.id}`);
  expect((await session("GET /api/v1/workspaces/me")).status).toBeGreaterThanOrEqual(401);
  expect(
    await world.sql("select from sso_members where user_id = $1", [me.body.data.user.id]),
  ).toEqual([]);
});
