import { expect, test } from "vitest";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { textMailedTo, tokenMailedTo } from "#kernel/testing/mailbox.ts";
import { type Ask, useWorld, type World } from "#kernel/testing/world.ts";
import { withApp, withKey } from "../mfa/testing/people.ts";
import { register, tokensFor } from "../oauth/testing/authorization-flow.ts";
import {
  beginLogin,
  newWorkspace,
  postAnswer,
  refusals,
  SAML_SETTINGS,
  samlWorkspace,
  sessionIn,
} from "../sso/testing/workspace.ts";

/** Tests accounts created by an attacker for the address of another person. */
const OFF = { MILLRACE_LOGIN_RATE_LIMIT: "0" };
const handing = await useWorld({ env: OFF });
const mailing = await useWorld({ env: { ...OFF, MILLRACE_SMTP_URL: "smtp://127.0.0.1:9" } });

const INVITE = "POST /api/v1/settings/users/invite";
const WHERE = "GET /api/v1/workspaces/me";
const THEIRS = "the attacker's password";
const OWN = "the person's own password";
let count = 0;
const address = () => `person-${(count += 1)}@corp.example`;

type Place = Awaited<ReturnType<typeof newWorkspace>>;

const logIn = (world: World, email: string, password = THEIRS, proof: object = {}) =>
  world.stranger("POST /api/v1/auth/token", { email, password, ...proof });

async function accept(world: World, token: string, password: string) {
  return world.stranger("POST /api/v1/auth/invitations/accept", { token, password });
}

/** Invites an address and accepts for it, which is only possible without a mail server. */
async function makeAhead(place: Place, email: string, roleIds = ["builder"]): Promise<string> {
  const sent = await place.owner(INVITE, { email, roleIds });
  expect(sent.body.data).toMatchObject({ mailed: false });
  const accepted = await accept(handing, sent.body.data.token, THEIRS);
  expect(accepted).toMatchObject({ status: 200, events: ["user.activated"] });
  return accepted.body.data.id;
}

type SamlPlace = Awaited<ReturnType<typeof samlWorkspace>>;

/** Signs in at the workspace's provider, in a browser that may already be logged in. */
async function signIn(
  world: World,
  { slug, provider }: SamlPlace,
  email: string,
  { role = "admin", session }: { role?: string; session?: string } = {},
) {
  const own = session === undefined ? undefined : { cookie: `millrace_session=${session}` };
  const { location } = await beginLogin(world, slug, "", own);
  const attributes = { mail: [email], given: ["Real"], family: ["Person"], role: [role] };
  const back = await postAnswer(world, slug, await provider.answer(location, { attributes }));
  return { ...back, ask: world.asToken(sessionIn(back.headers), slug) };
}

/** Creates all kinds of credentials for an account, as an attacker with its session would. */
async function armed(world: World, email: string, place: Place, builder: Ask) {
  const session: string = (await logIn(world, email)).body.data.token;
  const ask = world.asToken(session, place.slug);
  const { app } = await withApp(world, { ask: world.asToken(session) });
  await withKey({ ask: world.asToken(session) });
  const made = await ask("POST /api/v1/auth/tokens", {
    name: "t",
    expiresIn: null,
    scopes: ["workspaces:read"],
  });
  const application = await register(builder);
  const granted = await tokensFor(world, session, application);
  const feed = await ask("POST /api/v1/itsm/changes/calendar-feed", undefined, {
    "x-environment": "staging",
  });
  expect(feed.status).toBe(201);
  return {
    session,
    app,
    tokens: [made.body.data.token as string, granted.access_token],
    feed: new URL(feed.body.data.url).pathname,
    ask,
  };
}

async function newest(world: World, type: string, key: string) {
  const rows = await world.sql(
    "select data from events where type = $1 and workspace_id = $2 order by epoch, xid, seq",
    [type, key],
  );
  return rows.at(-1)?.data;
}

/** The credentials of the prepared account, by kind. */
const ALL = {
  passwords: 1,
  sessions: 1,
  second_factors: 2,
  api_tokens: 1,
  oauth_grants: 1,
  calendar_feeds: 1,
};

async function expectEnded(world: World, place: Place, old: Awaited<ReturnType<typeof armed>>) {
  for (const token of [old.session, ...old.tokens]) {
    expect(await world.asToken(token, place.slug)(WHERE)).toMatchObject({ status: 401 });
  }
  expect(await world.stranger(`GET ${old.feed}`)).toMatchObject({ status: 404 });
}

test("single sign-on does not grant access to a person who already created an account for the address elsewhere", async () => {
  const [other, corp] = [await newWorkspace(handing), await samlWorkspace(handing)];
  const email = address();
  const ahead = await makeAhead(other, email);
  const real = await signIn(handing, corp, email);
  expect(real).toMatchObject({ status: 303, events: ["user.activated", "audit.auth.login"] });
  const me = (await real.ask("GET /api/v1/auth/me")).body.data;
  expect(me).toMatchObject({ user: { email, name: "Real Person" }, roles: ["admin"] });
  expect(me.user.id).not.toBe(ahead);
  const session = await logIn(handing, email);
  expect(session.body.data.workspaces.map(({ slug }: { slug: string }) => slug)).toEqual([
    other.slug,
  ]);
  const there = handing.asToken(session.body.data.token, corp.slug);
  expect(await there("GET /api/v1/auth/me")).toMatchObject({ status: 403 });
});

test("all earlier credentials of a member's account end at their first single sign-on", async () => {
  const corp = await samlWorkspace(handing);
  const email = address();
  const userId = await makeAhead(corp, email);
  const old = await armed(handing, email, corp, corp.owner);
  const real = await signIn(handing, corp, email);
  expect(real).toMatchObject({
    status: 303,
    events: ["audit.auth.credentials_revoked", "audit.auth.login"],
  });
  expect(await newest(handing, "audit.auth.credentials_revoked", corp.key)).toEqual({
    userId,
    reason: "sso_login",
    revoked: ALL,
  });
  await expectEnded(handing, corp, old);
  expect(await logIn(handing, email, THEIRS, { code: old.app.next() })).toMatchObject({
    status: 401,
    body: { code: "bad_login" },
  });
  // The person keeps roles and identity; a second sign-in ends nothing more.
  const me = (await real.ask("GET /api/v1/auth/me")).body.data;
  expect(me).toMatchObject({ user: { id: userId }, roles: ["builder"] });
  const made = await real.ask("POST /api/v1/auth/tokens", {
    name: "mine",
    expiresIn: null,
    scopes: ["workspaces:read"],
  });
  const again = await signIn(handing, corp, email);
  expect(again).toMatchObject({ status: 303, events: ["audit.auth.login"] });
  expect(await handing.asToken(made.body.data.token, corp.slug)(WHERE)).toMatchObject({
    status: 200,
  });
});

test("a provider revokes nothing in other workspaces, and its accounts open only its own workspace", async () => {
  const [other, corp] = [await newWorkspace(handing), await samlWorkspace(handing)];
  const email = address();
  await makeAhead(other, email);
  const there = await armed(handing, email, other, other.owner);
  const { token } = (await corp.owner(INVITE, { email })).body.data;
  expect(await accept(handing, token, THEIRS)).toMatchObject({ status: 200 });
  const here = handing.asToken(there.session, corp.slug);
  expect(await here(WHERE)).toMatchObject({ status: 200 });
  const made = await here("POST /api/v1/auth/tokens", {
    name: "t",
    expiresIn: null,
    scopes: ["workspaces:read"],
  });
  expect(await signIn(handing, corp, email)).toMatchObject({
    status: 303,
    events: ["audit.auth.credentials_revoked", "audit.auth.login"],
  });
  expect(await newest(handing, "audit.auth.credentials_revoked", corp.key)).toMatchObject({
    revoked: { api_tokens: 1 },
  });
  expect(await here(WHERE)).toMatchObject({ status: 403, body: { code: "workspace_forbidden" } });
  expect(await handing.asToken(made.body.data.token, corp.slug)(WHERE)).toMatchObject({
    status: 401,
  });
  for (const credential of [there.session, ...there.tokens]) {
    expect(await handing.asToken(credential, other.slug)(WHERE)).toMatchObject({ status: 200 });
  }
  // Removing single sign-on does not make the password valid.
  await corp.owner("DELETE /api/v1/settings/sso");
  expect(await here(WHERE)).toMatchObject({ status: 403 });
});

test("a member logged in by password at their first single sign-on keeps both", async () => {
  const corp = await samlWorkspace(handing);
  const email = address();
  const userId = await makeAhead(corp, email);
  const session: string = (await logIn(handing, email)).body.data.token;
  const linked = await signIn(handing, corp, email, { session });
  expect(linked).toMatchObject({ status: 303, events: ["audit.auth.login"] });
  expect((await linked.ask("GET /api/v1/auth/me")).body.data.user.id).toBe(userId);
  expect(await handing.asToken(session, corp.slug)(WHERE)).toMatchObject({ status: 200 });
  expect(await signIn(handing, corp, email)).toMatchObject({ events: ["audit.auth.login"] });
  expect(await logIn(handing, email)).toMatchObject({ status: 200 });
});

test("a mailed link is never returned to the inviter, and verifies the address", async () => {
  const place = await newWorkspace(mailing);
  const email = address();
  const sent = await place.owner(INVITE, { email });
  expect(sent).toMatchObject({
    status: 201,
    events: ["user.invited"],
    body: { data: { mailed: true } },
  });
  expect(JSON.stringify(sent.body)).not.toMatch(/mri_|token|url/);
  const accepted = await accept(mailing, await tokenMailedTo(mailing, email), OWN);
  expect(accepted).toMatchObject({
    status: 200,
    events: ["audit.auth.email_verified", "user.activated"],
  });
  expect(await newest(mailing, "audit.auth.email_verified", place.key)).toEqual({
    userId: accepted.body.data.id,
    email,
    by: "invitation",
  });
  // Single sign-on then has nothing to end.
  await place.owner("POST /api/v1/settings/sso", SAML_SETTINGS);
  expect(await logIn(mailing, email, OWN)).toMatchObject({ status: 200 });
});

/**
 * In the mailing world: an account from a time without a mail server, prepared with credentials, in a workspace of
 * the attacker.
 */
async function oldAccount(email: string) {
  const trap = await newWorkspace(mailing);
  const { userId } = await mailing.member(["builder"], trap);
  const { token } = (await (await newWorkspace(handing)).owner(INVITE, { email })).body.data;
  await accept(handing, token, THEIRS);
  const [row] = await handing.sql("select password_hash from users where email = $1", [email]);
  await mailing.sql("delete from sessions where user_id = $1", [userId]);
  await mailing.sql("update users set email = $2, password_hash = $3 where id = $1", [
    userId,
    email,
    row.password_hash,
  ]);
  return { trap, userId, old: await armed(mailing, email, trap, trap.owner) };
}

test.each(["invitation", "reset"] as const)(
  "with a mailed %s a person takes over an account created in advance, and is not locked out",
  async (by) => {
    const email = address();
    const { trap, userId, old } = await oldAccount(email);
    const corp = await newWorkspace(mailing);
    const taken = ["audit.auth.credentials_revoked", "audit.auth.email_verified"];
    if (by === "invitation") {
      await corp.owner(INVITE, { email });
      const accepted = await accept(mailing, await tokenMailedTo(mailing, email), OWN);
      expect(accepted).toMatchObject({ status: 200, events: [...taken, "user.activated"] });
    } else {
      await mailing.stranger("POST /api/v1/auth/password/forgot", { email });
      const token = await tokenMailedTo(mailing, email);
      expect(
        await mailing.stranger("POST /api/v1/auth/password/reset", { token, password: OWN }),
      ).toMatchObject({ status: 200, events: [...taken, "audit.auth.password_changed"] });
      await mailing.sql(
        `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
         values ($1, $2, '{viewer}', now() + interval '1 hour', now())`,
        [corp.key, userId],
      );
    }
    expect(await newest(mailing, "audit.auth.credentials_revoked", trap.key)).toEqual({
      userId,
      reason: "email_verified",
      revoked: ALL,
    });
    await expectEnded(mailing, trap, old);
    // Neither single sign-on nor a second factor required by the attacker's workspace locks them out.
    await trap.owner("POST /api/v1/settings/sso", { ...SAML_SETTINGS, enforceSSO: true });
    await mailing.sql("update workspaces set enforce_mfa = true where key = $1", [trap.key]);
    expect(await logIn(mailing, email)).toMatchObject({ status: 401 });
    const session = await logIn(mailing, email, OWN);
    expect(session).toMatchObject({ status: 200 });
    const ask = mailing.asToken(session.body.data.token, corp.slug);
    expect(await ask(WHERE)).toMatchObject({ status: 200 });
    expect(await mailing.asToken(session.body.data.token, trap.slug)(WHERE)).toMatchObject({
      status: 403,
    });
    // A later link ends sessions, but keeps other credentials of the person.
    const made = await ask("POST /api/v1/auth/tokens", {
      name: "mine",
      expiresIn: null,
      scopes: ["workspaces:read"],
    });
    await mailing.stranger("POST /api/v1/auth/password/forgot", { email });
    const token = await tokenMailedTo(mailing, email);
    const reset = await mailing.stranger("POST /api/v1/auth/password/reset", {
      token,
      password: OWN,
    });
    expect(new Set(reset.events)).toEqual(new Set(["audit.auth.password_changed"]));
    expect(await mailing.asToken(made.body.data.token, corp.slug)(WHERE)).toMatchObject({
      status: 200,
    });
  },
);

test("a person with access to the mail and the password of an old account keeps everything", async () => {
  const email = address();
  const { old } = await oldAccount(email);
  const corp = await newWorkspace(mailing);
  await corp.owner(INVITE, { email });
  const accepted = await accept(mailing, await tokenMailedTo(mailing, email), THEIRS);
  expect(accepted.events).toEqual(["audit.auth.email_verified", "user.activated"]);
  expect(await old.ask(WHERE)).toMatchObject({ status: 200 });
});

test("single sign-on that was not set up by an owner neither admits nor binds owners", async () => {
  const corp = await samlWorkspace(handing, { enforceSSO: true });
  const email = `${corp.owner.userId}@example.com`;
  await handing.sql("update sso_configurations set set_up_by = null where workspace_id = $1", [
    corp.key,
  ]);
  expect(await signIn(handing, corp, email)).toMatchObject({
    status: 403,
    events: ["audit.sso.login_failed"],
  });
  expect(await refusals(handing, corp.key)).toMatchObject([{ reason: "owner_not_admitted" }]);
  await handing.sql(
    `update users set password_hash = (select password_hash from users where email = 'admin@example.com')
      where id = $1`,
    [corp.owner.userId],
  );
  expect(await logIn(handing, email, TEST_PASSWORD)).toMatchObject({ status: 200 });
  await corp.owner("POST /api/v1/settings/sso", { ...SAML_SETTINGS, enforceSSO: true });
  expect(await logIn(handing, email, TEST_PASSWORD)).toMatchObject({ status: 403 });
  expect(await signIn(handing, corp, email)).toMatchObject({ status: 303 });
});

test("after single sign-on is removed, a mailed link opens the accounts that it created", async () => {
  const corp = await samlWorkspace(mailing);
  const email = address();
  const { ask } = await signIn(mailing, corp, email, { role: "agent" });
  const { id } = (await ask("GET /api/v1/auth/me")).body.data.user;
  const forgot = () => mailing.stranger("POST /api/v1/auth/password/forgot", { email });
  expect(await forgot()).toMatchObject({ status: 202 });
  await expect(tokenMailedTo(mailing, email)).rejects.toThrow(/Nothing was mailed/);
  await corp.owner("DELETE /api/v1/settings/sso");
  await forgot();
  const token = await tokenMailedTo(mailing, email);
  await mailing.stranger("POST /api/v1/auth/password/reset", { token, password: OWN });
  expect(await logIn(mailing, email, OWN)).toMatchObject({
    status: 200,
    body: { data: { user: { id }, workspaces: [{ slug: corp.slug, roles: ["agent"] }] } },
  });
});

test("if workspaces created several accounts for an address, the person chooses one with the link", async () => {
  const stranger = await samlWorkspace(mailing);
  const corp = await samlWorkspace(mailing);
  const email = address();
  const made = [];
  for (const place of [stranger, corp]) {
    const { ask } = await signIn(mailing, place, email, { role: "agent" });
    made.push((await ask("GET /api/v1/auth/me")).body.data.user.id);
    await place.owner("DELETE /api/v1/settings/sso");
  }
  await mailing.stranger("POST /api/v1/auth/password/forgot", { email });
  const text = await textMailedTo(mailing, email);
  const tokenOf = (slug: string) =>
    new RegExp(`\\(${slug}\\): \\S+token=([\\w-]+)`).exec(text)?.[1];
  const reset = (token: string | undefined) =>
    mailing.stranger("POST /api/v1/auth/password/reset", { token, password: OWN });
  expect(await reset(tokenOf(corp.slug))).toMatchObject({ status: 200 });
  expect(await logIn(mailing, email, OWN)).toMatchObject({
    status: 200,
    body: { data: { user: { id: made[1] }, workspaces: [{ slug: corp.slug, roles: ["agent"] }] } },
  });
  expect(await reset(tokenOf(stranger.slug))).toMatchObject({
    status: 410,
    body: { code: "bad_reset_link" },
  });
  // The other workspace can invite them after it has removed the accounts that its provider created.
  await stranger.owner(`DELETE /api/v1/settings/users/${made[0]}`);
  await stranger.owner(INVITE, { email });
  expect(await accept(mailing, await tokenMailedTo(mailing, email), OWN)).toMatchObject({
    status: 200,
    body: { data: { id: made[1] } },
  });
});
