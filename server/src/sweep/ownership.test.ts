import { expect, test } from "vitest";
import {
  browser,
  register,
  tokensFor,
} from "#domains/identity/oauth/testing/authorization-flow.ts";
import { startForgingProvider } from "#domains/identity/sso/testing/forging-provider.ts";
import {
  beginLogin,
  comeBack,
  oidcWorkspace,
  postAnswer,
  SAML_SETTINGS,
  samlWorkspace,
} from "#domains/identity/sso/testing/workspace.ts";
import { ACCESS_WAYS } from "#kernel/testing/access-changes.ts";
import { tokenMailedTo } from "#kernel/testing/mailbox.ts";
import { sweptOperations } from "#kernel/testing/sweep.ts";
import { type Answer, type Ask, useFixture, useWorld } from "#kernel/testing/world.ts";

/** No admin, token or application can become or appoint an owner by any access-control operation. */
const world = await useWorld({
  env: {
    MILLRACE_LOGIN_RATE_LIMIT: "0",
    MILLRACE_SMTP_URL: "smtp://127.0.0.1:9",
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
  },
});
const owner = await world.member(["owner"]);
const admin = await world.member(["admin"]);
const bystander = await world.member(["viewer"]);
const openId = await useFixture(startForgingProvider());

const INVITE = "POST /api/v1/settings/users/invite";
const users = "/api/v1/settings/users";
const every: string[] = (await owner("GET /api/v1/settings/permissions")).body.data.map(
  ({ name }: { name: string }) => name,
);

async function apiToken(by: Ask, scopes: readonly string[]): Promise<Ask> {
  const { body } = await by("POST /api/v1/auth/tokens", { name: "t", expiresIn: null, scopes });
  return world.asToken(body.data.token, "default");
}

async function applicationOf(by: Ask & { readonly token: string }): Promise<Ask> {
  const application = await register(owner, { allowedScopes: every });
  const tokens = await tokensFor(world, by.token, application, { scope: every.join(" ") });
  return world.asToken(tokens.access_token, "default");
}

/** The actors whose credentials stay valid during all attempts. */
const tryingAll: readonly (readonly [string, Ask])[] = [
  ["an admin", admin],
  ["an admin's token", await apiToken(admin, every)],
  ["an owner's token", await apiToken(owner, every)],
  ["an owner's application", await applicationOf(owner)],
];

/** All actors except an owner with a session. */
async function actors(operation: string): Promise<Map<string, Ask>> {
  const own = sweptOperations.find(({ id }) => id === operation)?.permission?.name;
  const token = own === undefined ? undefined : await apiToken(owner, [own]);
  return new Map([...tryingAll, ...(token ? [["an owner's token for this", token] as const] : [])]);
}

let count = 0;
const fresh = (name: string) => `${name}-${(count += 1)}`;
const forbidden = { status: 403, events: [] };

/** An invitation as owner whose sender is no longer an owner. */
async function spentInvitation(): Promise<string> {
  const former = await world.member(["owner"]);
  const email = `${fresh("heir")}@example.com`;
  await former(INVITE, { email, roleIds: ["owner"] });
  await owner(`POST ${users}/${former.userId}/roles`, { roleId: "admin" });
  await owner(`DELETE ${users}/${former.userId}/roles/owner`);
  return tokenMailedTo(world, email);
}

/** Each operation as an attempt that must fail or give no ownership of the workspace. */
const ATTEMPTS: Readonly<Record<string, (by: Ask) => Promise<void>>> = {
  async "workspaces.create"(by) {
    // A user's own workspace gives no access to others, and tokens cannot create one.
    const made = await by("POST /api/v1/workspaces", { name: fresh("mine") });
    expect([201, 403]).toContain(made.status);
  },
  async "users.invite"(by) {
    const email = `${fresh("owner")}@example.com`;
    expect(await by(INVITE, { email, roleIds: ["viewer", "owner"] })).toMatchObject(forbidden);
  },
  async "users.update"(by) {
    const path = `${users}/${owner.userId}`;
    expect(await by(`PATCH ${path}`, { status: "deactivated" })).toMatchObject(forbidden);
    expect(await by(`DELETE ${path}`)).toMatchObject(forbidden);
  },
  async "invitations.accept"() {
    const body = { token: await spentInvitation(), password: "a long password" };
    expect(await world.stranger("POST /api/v1/auth/invitations/accept", body)).toMatchObject({
      status: 410,
      events: ["audit.auth.invitation_refused"],
    });
  },
  async "invitations.form"() {
    const body = { token: await spentInvitation(), password: "a long password" };
    expect(await browser(world)("POST /invitations", body)).toMatchObject({ status: 410 });
  },
  async "roles.create"(by) {
    const made = await by("POST /api/v1/settings/roles", { name: "owner", permissions: ["*"] });
    expect([403, 409]).toContain(made.status);
  },
  async "roles.update"(by) {
    const draft = { name: fresh("Role"), permissions: ["profile"] };
    const { id } = (await owner("POST /api/v1/settings/roles", draft)).body.data;
    for (const name of [id, "owner", "admin"]) {
      const renamed = await by(`PATCH /api/v1/settings/roles/${name}`, { name: "owner" });
      expect([403, 409]).toContain(renamed.status);
    }
  },
  async "roles.assign"(by) {
    for (const { userId } of [admin, bystander, owner]) {
      const given = await by(`POST ${users}/${userId}/roles`, { roleId: "owner" });
      expect(given).toMatchObject(forbidden);
    }
  },
  async "roles.unassign"(by) {
    expect(await by(`DELETE ${users}/${owner.userId}/roles/owner`)).toMatchObject(forbidden);
  },
  async "packs.install"(by) {
    const id = fresh("pack");
    const resources = { roles: [{ name: "owner", permissions: ["*"] }] };
    const pack = { id, name: id, version: "1.0.0", artifacts: [], resources };
    const { status, body, events } = await by("POST /api/v1/sdk/packs/install", pack);
    expect([403, 409], JSON.stringify(body)).toContain(status);
    expect(events).toEqual([]);
  },
  async "packs.install_baseline"(by) {
    await owner("DELETE /api/v1/sdk/packs/itsm_baseline_pack");
    const body = { packKey: "itsm_baseline_pack" };
    const { status } = await by("POST /api/v1/sdk/install-packs", body);
    expect([200, 201, 403]).toContain(status);
    const named = await world.sql("select from roles where name = 'owner'");
    expect(named).toEqual([]);
  },
  async "passwords.reset"(by) {
    // A link is always sent to the account's address.
    const email = `${owner.userId}@example.com`;
    const asked = await by("POST /api/v1/auth/password/forgot", { email });
    expect(JSON.stringify(asked.body)).not.toContain("mrp_");
  },
  async "passwords.reset_form"(by) {
    const body = { token: "mrp_guessed", password: "a long password" };
    expect(await by("POST /password", body)).toMatchObject({ status: 410 });
  },
  async "passwords.change"(by) {
    const body = { currentPassword: "a guess of it", newPassword: "a long password" };
    expect(await by("POST /api/v1/auth/password", body)).toMatchObject({ status: 403 });
  },
  async "sso.enforce"(by) {
    const answer = await by("POST /api/v1/settings/sso/enforce", { enforce: false });
    expect(answer).toMatchObject(forbidden);
  },
  async "sso.login"(by) {
    const { status } = await by("GET /sso/default/login?test=true");
    expect(status).toBeGreaterThanOrEqual(400);
  },
  async "sso.put"(by) {
    expect(await by("POST /api/v1/settings/sso", SAML_SETTINGS)).toMatchObject(forbidden);
  },
  async "sso.samlAcs"() {
    const { slug, key, provider } = await samlWorkspace(world);
    const { location } = await beginLogin(world, slug);
    const attributes = { mail: [`${fresh("claims")}@example.com`], role: ["owner"] };
    await expectNoOwner(
      key,
      postAnswer(world, slug, await provider.answer(location, { attributes })),
    );
  },
  async "sso.oidcCallback"() {
    const { slug, key } = await oidcWorkspace(world, openId.issuer);
    const { location, cookie } = await beginLogin(world, slug);
    const claims = { email: `${fresh("claims")}@example.com`, role: "owner", roles: ["owner"] };
    await expectNoOwner(key, comeBack(world, slug, openId.visit(location, { claims }), cookie));
  },
};

/** A successful login that leaves its workspace with its single owner. */
async function expectNoOwner(key: string, login: Promise<Answer>): Promise<void> {
  expect(await login).toMatchObject({ status: 303 });
  expect(await ownersOf(key)).toHaveLength(1);
}

async function ownersOf(key: string): Promise<string[]> {
  const rows = await world.sql(
    "select user_id from memberships where workspace_id = $1 and 'owner' = any (roles) order by 1",
    [key],
  );
  return rows.map(({ user_id }) => user_id);
}

test("tries every access-control operation", () => {
  const ids = new Set<string>(sweptOperations.map(({ id }) => id));
  expect(Object.keys(ATTEMPTS).toSorted()).toEqual(Object.keys(ACCESS_WAYS).toSorted());
  expect(Object.keys(ACCESS_WAYS).filter((id) => !ids.has(id))).toEqual([]);
});

test.each(Object.entries(ATTEMPTS))("%s gives no ownership", async (operation, attempt) => {
  const before = await ownersOf(world.home);
  for (const [name, by] of await actors(operation)) {
    await expect(attempt(by), name).resolves.toBeUndefined();
    expect([name, await ownersOf(world.home)]).toEqual([name, before]);
  }
  const strays = await world.sql(
    `select u.id from users u join memberships m on m.user_id = u.id
      where u.managed_by is not null and u.managed_by <> m.workspace_id`,
  );
  expect(strays).toEqual([]);
});

test("an owner with a session can do all of it", async () => {
  const heir = await world.member(["admin"]);
  const roles = `${users}/${heir.userId}/roles`;
  expect(await owner(`POST ${roles}`, { roleId: "owner" })).toMatchObject({ status: 200 });
  expect(await owner(`PATCH ${users}/${heir.userId}`, { status: "deactivated" })).toMatchObject({
    status: 200,
  });
  const invited = { email: `${fresh("heir")}@example.com`, roleIds: ["owner"] };
  expect(await owner(INVITE, invited)).toMatchObject({ status: 201 });
  expect(await owner("POST /api/v1/settings/sso", SAML_SETTINGS)).toMatchObject({ status: 200 });
});
