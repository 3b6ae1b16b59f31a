import { expect, test } from "vitest";
import { fanOutReader } from "#domains/webhooks/sending/fan-out.ts";
import { eventTriggerReader } from "#domains/runs/triggers/event-reader.ts";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import type { Reader } from "#kernel/contract.ts";
import { newId, workspaceIdOf } from "#kernel/schema/id.ts";
import { advanceReader, reader, registerReaders } from "#kernel/readers/reader.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";

const WORKSPACES = 30;
const receiver = await useFixture(startReceiver());
const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0", ...receiver.env } });
const workspaces: { key: string; slug: string }[] = [];
for (let n = 0; n < WORKSPACES; n += 1) workspaces.push(await world.workspace(`flood-${n}`));
const second = workspaces[1]?.slug;
const auditorIn = (n: number) => world.member(["owner"], workspaces[n]);
const [auditor, listener, late] = [await auditorIn(0), await auditorIn(1), await auditorIn(2)];

/** A user with a password who is a member of all of them. */
const email = "everywhere@example.com";
const userId = newId("usr");
await world.sql(
  `insert into users (id, email, name, password_hash, created_at, updated_at)
   select $1, $2, 'Everywhere', password_hash, now(), now() from users where email = 'admin@example.com'`,
  [userId, email],
);
const join = (keys: readonly string[]) =>
  world.sql(
    `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     select key, $1, '{agent}', now(), now() from workspaces where key = any($2)`,
    [userId, keys],
  );
await join([world.home, ...workspaces.map(({ key }) => key)]);
const logIn = (password: string) => world.stranger("POST /api/v1/auth/token", { email, password });
const listIn = async (ask: typeof auditor, filter = "type=audit.auth.*") =>
  (await ask(`GET /api/v1/audit?${filter}`)).body.data as any[];

test("a login appears as a single event in the audit log of every workspace", async () => {
  const answer = await logIn(TEST_PASSWORD);
  expect(answer).toMatchObject({ status: 200, events: ["audit.auth.login"] });
  expect(answer.body.data.workspaces).toHaveLength(WORKSPACES + 1);
  const [seen, ...others] = await listIn(auditor);
  expect(others).toEqual([]);
  expect(seen).toMatchObject({ type: "audit.auth.login", actor: { id: userId } });
  expect((await auditor(`GET /api/v1/audit/${seen.id}`)).body.data).toEqual(seen);
  expect(await listIn(auditor, `after=${seen.id}&type=audit.auth.*`)).toEqual([]);
  expect(await listIn(auditor, "type=audit.auth.logout")).toEqual([]);
  expect(await listIn(auditor, `actorId=${userId}`)).toEqual([seen]);
  const [nobody] = [await world.workspace("elsewhere")];
  expect(await listIn(await world.member(["owner"], nobody))).toEqual([]);
});

test("former members are in the audit log for their time of membership, and new members from then on", async () => {
  const before = await listIn(late);
  expect(before.length).toBeGreaterThan(0);
  await world.sql("delete from memberships where user_id = $1 and workspace_id = $2", [
    userId,
    workspaces[2]?.key,
  ]);
  expect(await logIn(TEST_PASSWORD)).toMatchObject({ events: ["audit.auth.login"] });
  expect(await listIn(late)).toEqual(before);
  expect(await listIn(auditor)).toHaveLength(before.length + 1);
});

test("rejects all failed logins and limits logging to ten per minute and account", async () => {
  world.clock.advance(60_000);
  const answers = [];
  for (let n = 0; n < 30; n += 1) answers.push(await logIn("wrong"));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
    new Set(["401 bad_login"]),
  );
  expect(answers.flatMap(({ events }) => events)).toEqual(
    Array.from({ length: 10 }, () => "audit.auth.login_failed"),
  );
  expect(await listIn(auditor, "type=audit.auth.login_failed")).toHaveLength(10);
  world.clock.advance(60_000);
  expect(await logIn("wrong")).toMatchObject({ events: ["audit.auth.login_failed"] });
});

test("workspaces with consumers get a separate event and list it only once", async () => {
  const url = `${receiver.url}/logins`;
  const made = await listener("POST /api/v1/webhooks", {
    name: "SIEM",
    url,
    events: ["audit.auth.login"],
  });
  expect(made).toMatchObject({ status: 201, body: { data: { hearsAudit: true } } });
  expect(await logIn(TEST_PASSWORD)).toMatchObject({
    events: ["audit.auth.login", "audit.auth.login"],
  });
  const logins = async (ask: typeof auditor) => (await listIn(ask, "type=audit.auth.login")).length;
  expect([await logins(listener), await logins(auditor)]).toEqual([3, 3]);
  const rows = await world.sql(
    "select w.slug from events e join workspaces w on w.key = e.workspace_id where e.type = 'audit.auth.login' order by e.seq",
  );
  expect(rows.map(({ slug }) => slug)).toEqual(["default", "default", "default", second]);
});

test("readers query once for a batch of many workspaces, and handle only those with consumers", async () => {
  const handled: string[] = [];
  /** Like a reader of the product that records which workspaces it handles. */
  const noting = (original: Reader, name: string): Reader => {
    if (!("selectParts" in original)) throw new Error("It is asked for each workspace.");
    const { handleSummary, ...rest } = original;
    return {
      ...rest,
      name,
      async handleSummary(ctx, counts) {
        handled.push(`${name} ${ctx.caller.workspace?.key}`);
        await handleSummary(ctx, counts);
      },
    } as Reader;
  };
  let batches = 0;
  const counter = reader({
    name: "test.counter",
    on: ["*"],
    startsAt: "end",
    handleParts: async (_, parts) => {
      batches += 1;
      expect(parts).toHaveLength(WORKSPACES);
    },
  });
  const readers = [
    noting(fanOutReader, "test.fan_out"),
    noting(eventTriggerReader, "test.triggers"),
  ];
  // Earlier events are before the end of the log, where they start.
  await world.settled();
  await registerReaders(world.kernel, [...readers, counter]);
  for (const { key } of workspaces) {
    await world.kernel.db.write({ workspace: key, environment: "production" }, (session) =>
      session.send(
        `insert into events (topic, type, actor_id, actor_type, actor_name, resource_type, resource_id,
                             correlation_id, created_at, data)
         values ('audit', 'audit.auth.login', 'x', 'system', 'x', 'session', 'x', 'cor', now(), '{}')`,
        [],
      ),
    );
  }
  await world.settled();
  for (const one of [...readers, counter]) await advanceReader(world.kernel, one);
  expect(handled).toEqual([`test.fan_out ${workspaces[1]?.key}`]);
  expect(batches).toBe(1);
  await until(async () => {
    const [row] = await world.sql("select count(*)::int as n from deliveries");
    return row.n === 1;
  });
});

test("a deactivated user is in the audit log for the time before, and again after reactivation", async () => {
  const owner = await auditorIn(3);
  const before = await listIn(owner);
  const member = `PATCH /api/v1/settings/users/${userId}`;
  expect(await owner(member, { status: "deactivated" })).toMatchObject({ status: 200 });
  expect((await logIn(TEST_PASSWORD)).status).toBe(200);
  expect(await listIn(owner)).toEqual(before);
  world.clock.advance(1_000);
  expect(await owner(member, { status: "active" })).toMatchObject({ status: 200 });
  expect(await listIn(owner)).toEqual(before);
  world.clock.advance(1_000);
  expect((await logIn(TEST_PASSWORD)).status).toBe(200);
  const [seen, ...older] = await listIn(owner);
  expect(older).toEqual(before);
  // The log's workspace would reveal their other memberships.
  expect(seen.workspaceId).toBe(workspaceIdOf(workspaces[3]?.key ?? ""));
});

test("an account from an identity provider can't access a different account with the same address", async () => {
  const place = await world.workspace("provider");
  const owner = await world.member(["owner"], place);
  const managed = newId("usr");
  await world.sql(
    `insert into users (id, email, name, managed_by, created_at, updated_at)
     values ($1, $2, 'Not them', $3, now(), now())`,
    [managed, email, place.key],
  );
  await world.sql(
    `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     values ($1, $2, '{agent}', now(), now())`,
    [place.key, managed],
  );
  world.clock.advance(60_000);
  expect((await logIn("wrong")).status).toBe(401);
  expect((await listIn(auditor))[0]).toMatchObject({ type: "audit.auth.login_failed" });
  expect(await listIn(owner)).toEqual([]);
});
