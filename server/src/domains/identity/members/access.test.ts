import { expect, test } from "vitest";
import { register, tokensFor } from "#domains/identity/oauth/testing/authorization-flow.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const admin = await world.member(["admin"]);
const TOKENS = "/api/v1/settings/tokens";
const users = (id: string, more = "") => `/api/v1/settings/users/${id}${more}`;
const draft = { name: "Robot", expiresIn: "30d", scopes: ["workspaces:read"] };

test("an admin sees and revokes the access of members; only an owner revokes that of an owner", async () => {
  const member = await world.member(["agent"]);
  const { body: made } = await member("POST /api/v1/auth/tokens", draft);
  const robot = world.asToken(made.data.token, "default");
  expect(await robot("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  const access = (await admin("GET /api/v1/settings/users/access")).body.data;
  expect(access.find(({ userId }: { userId: string }) => userId === member.userId)).toMatchObject({
    hasSecondFactor: false,
    sessions: 1,
    tokens: 1,
    isManaged: false,
    isShared: false,
  });
  expect((await admin(`GET ${TOKENS}?userId=${member.userId}`)).body.data).toMatchObject([
    { id: made.data.id, name: "Robot", user: { id: member.userId } },
  ]);
  expect(await member(`GET ${TOKENS}`)).toMatchObject({ status: 403 });
  expect(await admin(`DELETE ${TOKENS}/${made.data.id}`)).toMatchObject({
    status: 204,
    events: ["audit.token.revoked"],
  });
  expect(await robot("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
  expect(await admin(`POST ${users(member.userId, "/sessions/revoke")}`)).toMatchObject({
    status: 200,
    body: { data: { revoked: 1 } },
    events: ["audit.auth.sessions_revoked"],
  });
  expect(await member("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
  const { body: owned } = await owner("POST /api/v1/auth/tokens", draft);
  for (const act of [
    `DELETE ${TOKENS}/${owned.data.id}`,
    `POST ${users(owner.userId, "/sessions/revoke")}`,
  ]) {
    expect(await admin(act)).toMatchObject({ status: 403, events: [] });
  }
});

test("a workspace cannot end sessions that are valid elsewhere, or see those of other workspaces", async () => {
  const place = await world.workspace("elsewhere");
  const shared = await world.member(["agent"]);
  await world.sql(
    `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     values ($1, $2, '{agent}', now(), now())`,
    [place.key, shared.userId],
  );
  const away = await world.member(["owner"], place);
  expect(await admin(`GET ${users(shared.userId, "/sessions")}`)).toMatchObject({
    body: { data: { isShared: true, sessions: [] } },
  });
  expect(await admin(`POST ${users(shared.userId, "/sessions/revoke")}`)).toMatchObject({
    body: { data: { revoked: 0 } },
  });
  expect(await shared("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
  await world.sql("update sessions set last_used_at = now()");
  const { body: access } = await admin("GET /api/v1/settings/users/access");
  const seen = new Map(access.data.map((one: any) => [one.userId, one.lastSeenAt]));
  expect([seen.get(shared.userId), typeof seen.get(admin.userId)]).toEqual([null, "string"]);
  const { body: made } = await owner("POST /api/v1/auth/tokens", draft);
  for (const act of [
    `GET ${users(admin.userId, "/sessions")}`,
    `POST ${users(admin.userId, "/sessions/revoke")}`,
    `DELETE ${TOKENS}/${made.data.id}`,
  ]) {
    expect(await away(act)).toMatchObject({ status: 404, events: [] });
  }
  expect((await away(`GET ${TOKENS}`)).body.data).toEqual([]);
});

test("a suspended member loses tokens, applications and open streams, and does not get them back", async () => {
  const member = await world.member(["agent"]);
  const { body: made } = await member("POST /api/v1/auth/tokens", draft);
  const application = await register(owner);
  const granted = await tokensFor(world, member.token, application);
  const app = world.asToken(granted.access_token, "default");
  expect(await app("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  expect((await member("GET /api/v1/oauth/consents")).body.data.consents).toMatchObject([
    { clientId: application.clientId, scopes: ["profile", "workspaces:read"] },
  ]);
  expect(await admin(`PATCH ${users(member.userId)}`, { status: "deactivated" })).toMatchObject({
    events: ["user.deactivated"],
  });
  const all = [member, world.asToken(made.data.token, "default"), app];
  for (const ask of all) {
    expect((await ask("GET /api/v1/workspaces/me")).status).toBeGreaterThanOrEqual(400);
  }
  await admin(`PATCH ${users(member.userId)}`, { status: "active" });
  expect(await member("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  expect(await all[1]?.("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
  expect(await app("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
});

test("only the user can revoke a consent, and revoking it invalidates the tokens", async () => {
  const member = await world.member(["agent"]);
  const application = await register(owner);
  const granted = await tokensFor(world, member.token, application);
  const app = world.asToken(granted.access_token, "default");
  const consent = `/api/v1/oauth/consents/${application.clientId}`;
  expect(await app(`DELETE ${consent}`)).toMatchObject({ status: 403 });
  expect(await owner(`DELETE ${consent}`)).toMatchObject({ status: 404 });
  expect(await member(`DELETE ${consent}`)).toMatchObject({
    status: 204,
    events: ["audit.oauth_consent.revoked"],
  });
  expect(await app("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
  expect((await member("GET /api/v1/oauth/consents")).body.data.consents).toEqual([]);
});

test("changes the user's name in all workspaces, and search finds the new name", async () => {
  const member = await world.member(["viewer"]);
  expect(await member("PATCH /api/v1/auth/me", { name: "Grace Hopper" })).toMatchObject({
    status: 200,
    body: { data: { name: "Grace Hopper" } },
    events: ["user.updated"],
  });
  const found = await owner("GET /api/v1/settings/users?q=grace%20h");
  expect(found.body.data).toMatchObject([{ id: member.userId, name: "Grace Hopper" }]);
});
