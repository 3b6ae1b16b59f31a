import { describe, expect, test } from "vitest";
import { newId } from "#kernel/schema/id.ts";
import { startWorld, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_BASE_URL: "https://desk.example.com" },
});
const owner = await world.member(["owner"]);

let count = 0;
const address = () => `new-${(count += 1)}@example.com`;
const password = "a long password";
const invite = async (email: string, more: object = {}) =>
  (await owner("POST /api/v1/settings/users/invite", { email, ...more })).body.data;
const accept = (token: string, more: object = {}) =>
  world.stranger("POST /api/v1/auth/invitations/accept", { token, password, ...more });
const logIn = (email: string, secret = password) =>
  world.stranger("POST /api/v1/auth/token", { email, password: secret });

describe("an invitation", () => {
  test("creates an account that can log in with the given roles", async () => {
    const email = address();
    const sent = await owner("POST /api/v1/settings/users/invite", {
      email,
      roleIds: ["agent", "auditor"],
    });
    expect(sent).toMatchObject({ status: 201, events: ["user.invited"] });
    expect(sent.body.data.url).toBe(
      `https://desk.example.com/invitations?token=${sent.body.data.token}`,
    );
    expect(await accept(sent.body.data.token, { name: "Ada" })).toMatchObject({
      status: 200,
      body: { data: { email, name: "Ada", status: "active" } },
      events: ["user.activated"],
    });
    const { body } = await logIn(email);
    expect(body.data.workspaces).toMatchObject([{ slug: "default", roles: ["agent", "auditor"] }]);
  });

  test("works once, also if accepted twice concurrently", async () => {
    const { token } = await invite(address());
    const answers = await Promise.all([accept(token), accept(token)]);
    expect(answers.map(({ status }) => status === 200).filter(Boolean)).toHaveLength(1);
    expect(await accept(token)).toMatchObject({
      status: 410,
      body: { code: "bad_invitation" },
      events: ["audit.auth.invitation_refused"],
    });
  });

  test("expires when a newer one is sent, and after seven days", async () => {
    const email = address();
    const first = await invite(email);
    const second = await invite(email);
    expect(await accept(first.token)).toMatchObject({ status: 410 });
    expect(await accept(second.token)).toMatchObject({ status: 200 });
    await using apart = await startWorld();
    const somebody = await apart.member(["owner"]);
    const { body } = await somebody("POST /api/v1/settings/users/invite", { email });
    apart.clock.advance(7 * 24 * 3_600_000);
    const late = await apart.stranger("POST /api/v1/auth/invitations/accept", {
      token: body.data.token,
      password,
    });
    expect(late).toMatchObject({ status: 410 });
  });

  test("cannot grant roles that its sender cannot grant", async () => {
    const admin = await world.member(["admin"]);
    const draft = { email: address(), roleIds: ["owner"] };
    expect(await admin("POST /api/v1/settings/users/invite", draft)).toMatchObject({
      status: 403,
      events: [],
    });
  });

  test("rejects an existing member", async () => {
    const email = address();
    await accept((await invite(email)).token);
    expect(
      await owner("POST /api/v1/settings/users/invite", { email: email.toUpperCase() }),
    ).toMatchObject({
      status: 409,
      body: { code: "already_member" },
    });
  });

  test("adds an existing account to a second workspace, with its own password", async () => {
    const email = address();
    await accept((await invite(email)).token);
    await owner("POST /api/v1/workspaces", { name: "Branch", slug: "branch" });
    const elsewhere = world.asToken(owner.token, "branch");
    const { body } = await elsewhere("POST /api/v1/settings/users/invite", { email });
    const wrong = await accept(body.data.token, { password: "not my password" });
    expect(wrong).toMatchObject({
      status: 403,
      body: { code: "wrong_password" },
      events: ["audit.auth.login_failed", "audit.auth.login_failed"],
    });
    expect(await accept(body.data.token)).toMatchObject({
      status: 200,
      events: ["user.activated"],
    });
    const session = await logIn(email);
    expect(session.body.data.workspaces.map(({ slug }: { slug: string }) => slug)).toEqual([
      "branch",
      "default",
    ]);
  });

  test("its token is not in the log or in lists", async () => {
    const { token } = await invite(address());
    const audit = await owner("GET /api/v1/audit?type=user.*&limit=200");
    expect(JSON.stringify(audit.body)).not.toContain(token);
  });
});

describe("a member", () => {
  test("a deactivated member has no access, including by token, until reactivated", async () => {
    const person = await world.member(["viewer"]);
    const { body } = await person("POST /api/v1/auth/tokens", {
      name: "t",
      expiresIn: null,
      scopes: ["workspaces:read"],
    });
    const robot = world.asToken(body.data.token, "default");
    const path = `PATCH /api/v1/settings/users/${person.userId}`;
    expect(await owner(path, { status: "deactivated" })).toMatchObject({
      status: 200,
      events: ["user.deactivated"],
    });
    expect(await person("GET /api/v1/workspaces/me")).toMatchObject({ status: 403 });
    expect(await robot("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
    expect(await owner(path, { status: "active" })).toMatchObject({ events: ["user.activated"] });
    expect(await person("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  });

  test("a removed member loses sessions and tokens", async () => {
    const person = await world.member(["viewer"]);
    expect(await owner(`DELETE /api/v1/settings/users/${person.userId}`)).toMatchObject({
      status: 204,
      events: ["user.deactivated"],
    });
    expect(await person("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
    expect(await owner(`GET /api/v1/settings/users/${person.userId}`)).toMatchObject({
      status: 404,
    });
  });

  test("a member of other workspaces keeps the session and their name", async () => {
    const email = address();
    const { body } = await accept((await invite(email)).token);
    const { slug } = await world.workspace("far-away");
    const far = await world.sql("select key from workspaces where slug = $1", [slug]);
    await world.sql(
      "insert into memberships (workspace_id, user_id, roles, created_at, updated_at) values ($1, $2, '{viewer}', now(), now())",
      [far[0].key, body.data.id],
    );
    const session = (await logIn(email)).body.data;
    const rename = await owner(`PATCH /api/v1/settings/users/${body.data.id}`, { name: "Other" });
    expect(rename).toMatchObject({ status: 409, body: { code: "shared_account" }, events: [] });
    await owner(`DELETE /api/v1/settings/users/${body.data.id}`);
    const there = world.asToken(session.token, slug);
    expect(await there("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    expect(
      await world.asToken(session.token, "default")("GET /api/v1/workspaces/me"),
    ).toMatchObject({ status: 403 });
  });

  test("only owners change owners, and the last owner cannot be removed", async () => {
    const admin = await world.member(["admin"]);
    const path = `/api/v1/settings/users/${owner.userId}`;
    expect(await admin(`PATCH ${path}`, { status: "deactivated" })).toMatchObject({
      status: 403,
      events: [],
    });
    expect(await admin(`DELETE ${path}`)).toMatchObject({ status: 403, events: [] });
    await using apart = await startWorld();
    await apart.sql("delete from memberships");
    const last = await apart.member(["owner"]);
    const own = `/api/v1/settings/users/${last.userId}`;
    expect(await last(`DELETE ${own}`)).toMatchObject({
      status: 409,
      body: { code: "last_owner" },
    });
    expect(await last(`PATCH ${own}`, { status: "deactivated" })).toMatchObject({ status: 409 });
  });
});

describe("a manager", () => {
  const path = (userId: string) => `/api/v1/settings/users/${userId}`;
  const report = (to: string | null, who: string, by = owner) =>
    by(`PATCH ${path(who)}`, { managerId: to });
  const people = async (count: number) => {
    const made = await Promise.all(Array.from({ length: count }, () => world.member(["member"])));
    return made.map(({ userId }) => userId);
  };

  test("sets, finds and unsets it, each with one event that contains the previous value", async () => {
    const [boss = "", worker = ""] = await people(2);
    const set = await report(boss, worker);
    expect(set).toMatchObject({
      status: 200,
      events: ["user.updated"],
      body: { data: { id: worker, managerId: boss } },
    });
    const [{ data }] = await world.sql(
      "select data from events where type = 'user.updated' and resource_id = $1",
      [worker],
    );
    expect(data).toMatchObject({
      before: { managerId: null },
      after: { managerId: boss },
      changes: ["managerId"],
    });
    const found = await owner(`GET /api/v1/settings/users?managerId=${boss}`);
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([worker]);
    const named = await owner(`PATCH ${path(worker)}`, { name: "Wanda" });
    expect(named.body.data).toMatchObject({ name: "Wanda", managerId: boss });
    expect((await report(null, worker)).body.data.managerId).toBeNull();
  });

  test("is another active member who does not report to the member", async () => {
    const [chief = "", boss = "", worker = "", gone = ""] = await people(4);
    await owner(`PATCH ${path(gone)}`, { status: "deactivated" });
    await report(chief, boss);
    await report(boss, worker);
    const messageOf = async (to: string, who: string) => {
      const { status, events, body } = await report(to, who);
      return [status, events, body.errors?.[0]?.path, body.errors?.[0]?.message];
    };
    const refused = [422, [], "/managerId"];
    expect(await messageOf(worker, worker)).toEqual([...refused, "must be another member"]);
    expect(await messageOf(gone, worker)).toEqual([...refused, "is not an active member"]);
    expect(await messageOf(newId("usr"), worker)).toEqual([...refused, "is not an active member"]);
    expect(await messageOf(worker, boss)).toEqual([...refused, "reports to this member"]);
    expect(await messageOf(worker, chief)).toEqual([...refused, "reports to this member"]);
  });

  test("rejects one of two concurrent changes that would create a cycle", async () => {
    const [one = "", other = ""] = await people(2);
    const answers = await Promise.all([report(one, other), report(other, one)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  });

  test("is set by admins, not by the member, and for an owner only by owners", async () => {
    const [boss = "", worker = ""] = await people(2);
    const member = await world.member(["member"]);
    expect(await report(boss, worker, member)).toMatchObject({ status: 403, events: [] });
    expect(await report(boss, member.userId, member)).toMatchObject({ status: 403, events: [] });
    const admin = await world.member(["admin"]);
    expect(await report(boss, worker, admin)).toMatchObject({ status: 200 });
    expect(await report(boss, owner.userId, admin)).toMatchObject({ status: 403, events: [] });
  });

  test("is null after removal from the workspace", async () => {
    const [boss = "", worker = ""] = await people(2);
    await report(boss, worker);
    await owner(`DELETE ${path(boss)}`);
    expect((await owner(`GET ${path(worker)}`)).body.data.managerId).toBeNull();
  });
});

test("searches members by text, role and ids, and supports pagination", async () => {
  await using apart = await startWorld();
  const asking = await apart.member(["owner"]);
  const [agent, viewer, both] = await Promise.all(
    [["agent"], ["viewer"], ["viewer", "agent"]].map((roles) => apart.member(roles)),
  );
  const [a, v, b] = [agent, viewer, both].map((one) => one?.userId ?? "");
  await apart.sql("update users set name = 'İlkay Öz' where id = $1", [b]);
  const list = async (query: string) => {
    const { status, body } = await asking(`GET /api/v1/settings/users?${query}`);
    return status === 200 ? body.data.map(({ id }: { id: string }) => id).toSorted() : status;
  };
  expect(await list("role=agent")).toEqual([a, b].toSorted());
  expect(await list(`role=agent&ids=${v},${b}`)).toEqual([b]);
  expect(await list(`ids=${v},${b},${newId("usr")}`)).toEqual([v, b].toSorted());
  expect(await list(`q=${encodeURIComponent("İLKAY")}`)).toEqual([b]);
  expect(await list(`q=${encodeURIComponent("öz")}&role=auditor`)).toEqual([]);
  const first = await asking(`GET /api/v1/settings/users?role=agent&limit=1`);
  const after = encodeURIComponent(first.body.pagination.nextCursor);
  expect(await list(`role=agent&limit=1&after=${after}`)).toEqual([[a, b].toSorted()[1]]);
  const many = (count: number) => Array.from({ length: count }, () => v).join(",");
  expect(await list(`ids=${many(100)}`)).toEqual([v]);
  expect(await list(`ids=${many(101)}`)).toBe(422);
  expect(await list(`ids=inc_1`)).toBe(422);
});
