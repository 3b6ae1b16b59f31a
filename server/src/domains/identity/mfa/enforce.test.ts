import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { somebody, withApp } from "./testing/people.ts";

const STATUS = "GET /api/v1/auth/mfa/status";
const DISABLE = "POST /api/v1/auth/mfa/totp/disable";
const ENFORCE = "POST /api/v1/settings/security/enforce-mfa";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

test("blocks members without a second factor from everything except enrollment", async () => {
  const place = await world.workspace("strict");
  const owner = await somebody(world, ["owner"], place);
  const { app } = await withApp(world, owner);
  const member = await somebody(world, ["viewer"], place);
  expect(await member.ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  const enforced = await owner.ask(ENFORCE, { enforced: true });
  expect(enforced).toMatchObject({
    status: 200,
    body: { data: { enforced: true } },
    events: ["audit.mfa.enforced"],
  });

  const barred = { status: 403, body: { code: "mfa_enrollment_required" }, events: [] };
  expect(await member.ask("GET /api/v1/workspaces/me")).toMatchObject(barred);
  const nowhere = world.asToken(member.token);
  expect(await nowhere("GET /api/v1/workspaces")).toMatchObject(barred);
  expect((await member.ask(STATUS)).body.data).toMatchObject({ totp: false, enforced: true });
  expect((await nowhere(STATUS)).body.data).toMatchObject({ totp: false, enforced: true });
  expect(await owner.ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  // The login still creates a session, so that the member can enroll.
  expect(await member.login()).toMatchObject({ status: 200, events: ["audit.auth.login"] });

  await withApp(world, member);
  expect(await member.ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });

  const lifted = await owner.ask(ENFORCE, { enforced: false });
  expect(lifted).toMatchObject({ status: 200, events: ["audit.mfa.unenforced"] });
  const late = await somebody(world, ["viewer"], place);
  expect(await late.ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  expect(await owner.ask(DISABLE, { code: app.next() })).toMatchObject({ status: 204 });
});

test("requires a second factor again after it was removed", async () => {
  const place = await world.workspace("strict-too");
  const owner = await somebody(world, ["owner"], place);
  const { app } = await withApp(world, owner);
  await owner.ask(ENFORCE, { enforced: true });
  expect(await owner.ask(DISABLE, { code: app.next() })).toMatchObject({ status: 204 });
  const barred = await owner.ask("GET /api/v1/workspaces/me");
  expect(barred).toMatchObject({ status: 403, body: { code: "mfa_enrollment_required" } });
});

test("requires owners or admins", async () => {
  const place = await world.workspace("strict-roles");
  for (const role of ["builder", "agent", "change_manager", "member", "viewer", "auditor"]) {
    const member = await world.member([role], place);
    expect(await member(ENFORCE, { enforced: false })).toMatchObject({ status: 403, events: [] });
  }
  const admin = await world.member(["admin"], place);
  expect(await admin(ENFORCE, { enforced: false })).toMatchObject({ status: 200 });
});

test("an MFA requirement does not affect the user's other workspaces", async () => {
  const person = await somebody(world, ["owner"]);
  const place = await world.workspace("strict-elsewhere");
  await world.sql(
    `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     values ($1, $2, '{admin}', now(), now())`,
    [place.key, person.userId],
  );
  await world.sql("update workspaces set enforce_mfa = true where key = $1", [place.key]);
  const barred = { status: 403, body: { code: "mfa_enrollment_required" }, events: [] };
  expect(await world.asToken(person.token, place.slug)("GET /api/v1/workspaces/me")).toMatchObject(
    barred,
  );
  const nowhere = world.asToken(person.token);
  expect(await nowhere("POST /api/v1/workspaces", { name: "My own" })).toMatchObject({
    status: 201,
    events: ["workspace.created"],
  });
  expect(await nowhere("GET /api/v1/workspaces")).toMatchObject({ status: 200 });
  // A permission from the enforcing workspace requires the factor first.
  await world.sql(
    `update memberships set roles = '{viewer}' where user_id = $1 and workspace_id <> $2`,
    [person.userId, place.key],
  );
  const again = world.asToken((await person.login()).body.data.token);
  expect(await again("POST /api/v1/workspaces", { name: "Not yet" })).toMatchObject(barred);
});

test("the status includes requirements of all workspaces, not only the named one", async () => {
  const person = await somebody(world, ["owner"]);
  await person.ask("POST /api/v1/workspaces", { name: "Demanding" });
  const strict = world.asToken(person.token, "demanding");
  expect(await strict(ENFORCE, { enforced: true })).toMatchObject({ status: 200 });
  expect((await person.ask(STATUS)).body.data.enforced).toBe(true);
});
