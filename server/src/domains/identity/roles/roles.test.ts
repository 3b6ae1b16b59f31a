import { describe, expect, test } from "vitest";
import { startWorld, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const admin = await world.member(["admin"]);

const assign = (userId: string) => `POST /api/v1/settings/users/${userId}/roles`;

test("lists the built-in roles first, with their permissions, and they cannot be changed", async () => {
  const { body } = await owner("GET /api/v1/settings/roles");
  expect(body.data.slice(0, 9).map(({ name }: { name: string }) => name)).toEqual([
    "owner",
    "admin",
    "builder",
    "agent",
    "change_manager",
    "member",
    "requester",
    "viewer",
    "auditor",
  ]);
  expect(await owner("GET /api/v1/settings/roles/auditor")).toMatchObject({
    body: { data: { builtIn: true, permissions: expect.arrayContaining(["audit:read"]) } },
  });
  const fixed = { status: 409, body: { code: "built_in_role" }, events: [] };
  expect(await owner("PATCH /api/v1/settings/roles/viewer", { name: "x" })).toMatchObject(fixed);
  expect(await owner("DELETE /api/v1/settings/roles/viewer")).toMatchObject(fixed);
});

test("a custom role grants its permissions, and changes take effect immediately", async () => {
  const person = await world.member([]);
  const { body } = await owner("POST /api/v1/settings/roles", {
    name: "Log reader",
    permissions: ["audit:read"],
  });
  const roleId = body.data.id;
  expect(await person("GET /api/v1/audit")).toMatchObject({ status: 403 });
  const given = await owner(assign(person.userId), { roleId });
  expect(given).toMatchObject({ status: 200, events: ["audit.role.assigned"] });
  expect(await person("GET /api/v1/audit")).toMatchObject({ status: 200 });
  expect(await owner(`DELETE /api/v1/settings/roles/${roleId}`)).toMatchObject({
    status: 409,
    body: { code: "role_in_use" },
  });
  const change = { permissions: ["workspaces:*"] };
  expect(await owner(`PATCH /api/v1/settings/roles/${roleId}`, change)).toMatchObject({
    status: 200,
    events: ["audit.role.updated"],
  });
  expect(await person("GET /api/v1/audit")).toMatchObject({ status: 403 });
  expect(await person("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  const taken = await owner(`DELETE /api/v1/settings/users/${person.userId}/roles/${roleId}`);
  expect(taken).toMatchObject({ status: 200, events: ["audit.role.unassigned"] });
  expect(await person("GET /api/v1/workspaces/me")).toMatchObject({ status: 403 });
});

describe("a member cannot grant permissions that they do not have", () => {
  test("in a custom role", async () => {
    const { body } = await owner("POST /api/v1/settings/roles", {
      name: "Role maker",
      permissions: ["roles:write", "roles:assign", "roles:read"],
    });
    const maker = await world.member([body.data.id]);
    const grab = { name: "Everything", permissions: ["*"] };
    expect(await maker("POST /api/v1/settings/roles", grab)).toMatchObject({
      status: 403,
      events: [],
    });
    const own = `/api/v1/settings/roles/${body.data.id}`;
    expect(await maker(`PATCH ${own}`, { permissions: ["audit:read"] })).toMatchObject({
      status: 403,
    });
    expect(await maker(assign(maker.userId), { roleId: "admin" })).toMatchObject({ status: 403 });
    expect(await maker(assign(maker.userId), { roleId: "viewer" })).toMatchObject({ status: 403 });
  });

  test("and only an owner can add or remove an owner", async () => {
    const refused = { status: 403, events: [] };
    expect(await admin(assign(admin.userId), { roleId: "owner" })).toMatchObject(refused);
    const path = `DELETE /api/v1/settings/users/${owner.userId}/roles/owner`;
    expect(await admin(path)).toMatchObject(refused);
  });

  test("and neither can an owner's token with limited scopes", async () => {
    const { body } = await owner("POST /api/v1/auth/tokens", {
      name: "Robot",
      expiresIn: null,
      scopes: ["users:write", "roles:assign"],
    });
    const robot = world.asToken(body.data.token, "default");
    const other = await world.member(["owner"]);
    const user = `/api/v1/settings/users/${other.userId}`;
    const refused = { status: 403, body: { code: "forbidden" }, events: [] };
    const draft = { email: "an-owner@example.com", roleIds: ["owner"] };
    expect(await robot("POST /api/v1/settings/users/invite", draft)).toMatchObject(refused);
    expect(await robot(assign(admin.userId), { roleId: "owner" })).toMatchObject(refused);
    expect(await robot(`DELETE ${user}/roles/owner`)).toMatchObject(refused);
    expect(await robot(`PATCH ${user}`, { status: "deactivated" })).toMatchObject(refused);
    expect(await robot(`DELETE ${user}`)).toMatchObject(refused);
  });
});

test("rejects unknown permissions and roles with their path", async () => {
  const answer = await owner("POST /api/v1/settings/roles", {
    name: "x",
    permissions: ["audit:read", "a:b"],
  });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: "/permissions/1" }] } });
  const nobody = await owner(assign(admin.userId), { roleId: "rol_01jd0000000000000000000000" });
  expect(nobody).toMatchObject({ status: 422, body: { errors: [{ path: "/roleId" }] } });
  expect(
    await owner("POST /api/v1/settings/roles", { name: "owner", permissions: [] }),
  ).toMatchObject({
    status: 409,
  });
});

test("the last owner remains, also if two leave concurrently", async () => {
  await using apart = await startWorld();
  await apart.sql("delete from memberships");
  const one = await apart.member(["owner"]);
  const two = await apart.member(["owner"]);
  const leave = (who: typeof one) => who(`DELETE /api/v1/settings/users/${who.userId}/roles/owner`);
  const answers = await Promise.all([leave(one), leave(two)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const rows = await apart.sql("select from memberships where 'owner' = any (roles)");
  expect(rows).toHaveLength(1);
});

test("workspaceId assigns in another workspace of the caller, where the permission is required too", async () => {
  const { body } = await owner("POST /api/v1/workspaces", { name: "Annex", slug: "annex" });
  const annex = await world.sql("select key from workspaces where slug = 'annex'");
  const person = await world.member(["viewer"], { key: annex[0].key, slug: "annex" });
  const there = { roleId: "agent", workspaceId: body.data.id };
  expect(await owner(assign(person.userId), there)).toMatchObject({
    status: 200,
    body: { data: { roles: ["viewer", "agent"] } },
    events: ["audit.role.assigned"],
  });
  expect(await admin(assign(person.userId), there)).toMatchObject({ status: 403, events: [] });
  expect(await owner(assign(person.userId), { roleId: "agent" })).toMatchObject({ status: 404 });
});

test("rejects workspaceId if a second factor has to be enrolled first", async () => {
  const { body } = await owner("POST /api/v1/workspaces", { name: "Strict", slug: "strict" });
  const [{ key }] = await world.sql("select key from workspaces where slug = 'strict'");
  const person = await world.member(["viewer"], { key, slug: "strict" });
  const strict = world.asToken(owner.token, "strict");
  await strict("POST /api/v1/settings/security/enforce-mfa", { enforced: true });
  const there = { roleId: "agent", workspaceId: body.data.id };
  expect(await owner(assign(person.userId), there)).toMatchObject({
    status: 403,
    body: { code: "mfa_enrollment_required" },
    events: [],
  });
});

test("a page continues after the previous one, even if its last role was deleted", async () => {
  await using apart = await startWorld();
  const maker = await apart.member(["owner"]);
  const ids: string[] = [];
  for (const name of ["A", "B", "C"]) {
    const { body } = await maker("POST /api/v1/settings/roles", { name, permissions: [] });
    ids.push(body.data.id);
  }
  const first = await maker("GET /api/v1/settings/roles?limit=10");
  expect(first.body.data.map(({ name }: { name: string }) => name).slice(-2)).toEqual([
    "auditor",
    "A",
  ]);
  await maker(`DELETE /api/v1/settings/roles/${ids[0]}`);
  const names: string[] = [];
  for (let after: string | null = first.body.pagination.nextCursor; after;) {
    const { body } = await maker(`GET /api/v1/settings/roles?limit=1&after=${after}`);
    names.push(...body.data.map(({ name }: { name: string }) => name));
    after = body.pagination.nextCursor;
  }
  expect(names).toEqual(["B", "C"]);
});
