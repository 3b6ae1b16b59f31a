/** Tests that unattended automations have the current rights of an active member. */
import { describe, expect, test } from "vitest";
import { assertOwnerInPerson, type Caller, systemCaller } from "#kernel/access/caller.ts";
import { confinementOf } from "./authority.ts";
import { ARTIFACTS, createArtifact, createSalaries, memberWith } from "./testing/rights.ts";
import { browser, deployedApp, deploy } from "#domains/apps/testing/apps.ts";
import { findRuns, publish } from "#domains/runs/testing/triggers.ts";
import {
  createToken,
  deployWorkflow,
  runWorkflow,
  trigger,
  waitForRun,
} from "#domains/runs/testing/workflows.ts";
import { useUpstream } from "#domains/connectors/testing/upstream.ts";
import { until, useWorld } from "#kernel/testing/world.ts";

const MINUTE_MS = 60_000;
const NOBODY_BEHIND = { status: 409, body: { code: "nobody_behind" }, events: [] };

const receiver = await useUpstream();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
await owner("POST /api/v1/secrets", { name: "CRM_KEY", value: "s3cr3t-of-the-workspace" });
const SECRET = "{{secrets.CRM_KEY}}";
const salaries = await createSalaries(world, owner);

/** Resolves when all readers have read all events and no work is pending. */
const idle = () =>
  until(async () => {
    const [row] = await world.sql(
      `select exists (select from events e, readers r where (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq)) as behind,
              exists (select from runs where due_at <= $1 and status in ('queued', 'running')) as busy,
              exists (select from deliveries where status = 'pending') as sending`,
      [world.clock.now()],
    );
    return !row.behind && !row.busy && !row.sending;
  });
const sentSecret = () =>
  receiver.received.some(({ headers }) => JSON.stringify(headers).includes("s3cr3t"));
const send = (headers: object = { "x-key": SECRET }) => ({
  id: "send",
  type: "http",
  config: { method: "GET", url: receiver.url, headers },
});
describe("Members without permission to use secrets or read events.", () => {
  const SCOPES = [
    "workflows:read",
    "workflows:write",
    "workflows:trigger",
    "deployments:create",
    "webhooks:read",
    "webhooks:write",
    "connectors:read",
    "connectors:write",
    "connectors:invoke",
  ];

  test.each([
    ["a member", () => memberWith(world, owner, SCOPES), false],
    ["a token of somebody who may", () => createToken(world, owner, SCOPES), false],
    ["somebody who may", async () => owner, true],
  ])("does so by no automation: %s", async (_, find, may) => {
    const ask = await find();
    const nodes = [send()];
    const sends = await deployWorkflow(ask, nodes);
    const run = await runWorkflow(owner, sends);
    expect(run.error).toEqual(may ? null : expect.objectContaining({ code: "forbidden" }));
    const hears = await Promise.all(
      ["record", "platform.events"].map((topic) =>
        deployWorkflow(ask, [{ id: "keep", type: "set", config: { values: {} } }], {
          trigger: { type: "event_bus", topic, eventType: "record.created" },
        }),
      ),
    );
    const waits = await deployWorkflow(ask, [
      {
        id: "hear",
        type: "wait_for_event",
        config: { topic: "record", eventType: "record.created" },
      },
    ]);
    const waiting = (await trigger(owner, waits)).body.data.runId;
    await waitForRun(owner, waiting, ["waiting"]);
    const hook = await ask("POST /api/v1/webhooks", {
      name: "Away",
      url: `${receiver.url}/records`,
      events: ["record.*"],
      headers: { "x-key": SECRET },
    });
    expect(hook.status).toBe(201);
    const connector = await ask("POST /api/v1/connectors", {
      name: "CRM",
      type: "http",
      config: { baseUrl: receiver.url, retries: 0 },
      auth: { kind: "bearer", token: SECRET },
    });
    const invocation = { action: "request", input: { path: "/" } };
    const invoke = `POST /api/v1/connectors/${connector.body.data.id}/invoke`;
    expect((await owner(invoke, invocation)).status).toBe(may ? 200 : 403);
    await owner(`POST /api/v1/tables/${salaries.slug}/records`, { who: "CTO", amount: 7 });
    await idle();
    const heard = await Promise.all(hears.map((id) => findRuns(world, id)));
    expect(heard.map(({ length }) => length)).toEqual(may ? [1, 1] : [0, 0]);
    const woken = await owner(`GET /api/v1/runs/${waiting}`);
    expect(woken.body.data.status).toBe(may ? "completed" : "waiting");
    const posted = receiver.received.filter(({ path }) => path === "/records");
    expect([sentSecret(), posted.length]).toEqual(may ? [true, 1] : [false, 0]);
  });
});

test("automations stop when their member leaves, owners are notified, and another member can adopt them", async () => {
  const builder = await world.member(["builder"]);
  const note = { id: "keep", type: "set", config: { values: {} } };
  const heard = await deployWorkflow(builder, [note], {
    trigger: { type: "event_bus", topic: "asked" },
  });
  const timed = await deployWorkflow(builder, [note], {
    trigger: { type: "schedule", cron: "* * * * *" },
  });
  const hooked = await deployWorkflow(builder, [note], { trigger: { type: "webhook" } });
  const sleeps = await deployWorkflow(builder, [
    { id: "sleep", type: "delay", config: { ms: MINUTE_MS } },
    send({}),
  ]);
  const hookPath = new URL((await owner(`GET /api/v1/workflows/${hooked}`)).body.data.trigger.url)
    .pathname;
  const sleeping = (await trigger(owner, sleeps)).body.data.runId;
  await waitForRun(owner, sleeping, ["waiting"]);
  const job = await createArtifact(builder, "scheduled_job", "return 1;", { cron: "* * * * *" });
  const handler = await createArtifact(builder, "webhook_handler", "return 1;");
  const webhook = (
    await builder("POST /api/v1/webhooks", {
      name: "All",
      url: `${receiver.url}/all`,
      events: ["asked.*"],
    })
  ).body.data;
  const connector = (
    await builder("POST /api/v1/connectors", {
      name: "CRM",
      type: "http",
      config: { baseUrl: receiver.url, retries: 0 },
      auth: { kind: "bearer", token: SECRET },
    })
  ).body.data;
  const app = await deployedApp(builder, {});
  const kpi = await builder("POST /api/v1/analytics/kpis", {
    name: "Runs",
    target: 1,
    direction: "up",
    schedule: { cron: "* * * * *" },
    aggregate: { source: { kind: "runs" }, fn: "count" },
  });
  expect(kpi.status).toBe(201);
  await idle();

  const left = await owner(`DELETE /api/v1/settings/users/${builder.userId}`);
  expect(left).toMatchObject({ status: 204, events: ["user.deactivated"] });
  const told = await until(async () => {
    const { body } = await owner("GET /api/v1/audit?type=user.automations_stopped");
    return body.data[0];
  });
  expect(told.resource.id).toBe(builder.userId);
  expect(new Set(told.data.items.map(({ kind, id }: any) => `${kind} ${id}`))).toEqual(
    new Set([
      ...[heard, timed, hooked, sleeps].map((id) => `workflow ${id}`),
      `artifact ${job.id}`,
      `artifact ${handler.id}`,
      `webhook ${webhook.id}`,
      `connector ${connector.id}`,
      `app ${app.id}`,
      `kpi ${kpi.body.data.id}`,
    ]),
  );
  const notified = await until(async () => {
    const { body } = await owner("GET /api/v1/notifications");
    return body.data.find(({ title }: any) => title.includes("10 automations"));
  });
  expect(notified.body).toContain("webhook All");

  const executions = () =>
    world.sql("select from artifact_executions where artifact_id = $1", [job.id]);
  const snapshots = () =>
    world.sql("select from kpi_snapshots where kpi_id = $1", [kpi.body.data.id]);
  const before = [
    (await executions()).length,
    (await snapshots()).length,
    (await findRuns(world, timed)).length,
  ];
  await publish(owner, "asked", { type: "asked.it" });
  world.clock.advance(2 * MINUTE_MS);
  await until(async () => {
    const [{ due_at }] = await world.sql(
      "select due_at from scheduled_jobs where artifact_id = $1",
      [job.id],
    );
    return due_at > world.clock.now();
  });
  await idle();
  expect(await findRuns(world, heard)).toEqual([]);
  expect(receiver.received).toEqual([]);
  expect(await waitForRun(owner, sleeping)).toMatchObject({
    error: { code: "nobody_behind", path: "send" },
  });
  expect([
    (await executions()).length,
    (await snapshots()).length,
    (await findRuns(world, timed)).length,
  ]).toEqual(before);
  expect(await trigger(owner, heard)).toMatchObject(NOBODY_BEHIND);
  expect(await owner(`POST /api/v1/runs/${sleeping}/retry`)).toMatchObject(NOBODY_BEHIND);
  expect(await owner(`POST ${ARTIFACTS}/${handler.id}/execute`)).toMatchObject(NOBODY_BEHIND);
  const handlerPath = new URL(handler.url).pathname;
  for (const path of [hookPath, handlerPath]) {
    expect(await world.stranger(`POST ${path}`, {})).toMatchObject({ status: 404, events: [] });
  }
  const invoke = `POST /api/v1/connectors/${connector.id}/invoke`;
  expect((await owner(invoke, { action: "request", input: { path: "/" } })).status).toBe(403);
  expect((await browser(world, owner.token)(`GET /apps/default/${app.slug}`)).status).toBe(409);

  // Each is adopted by saving or deploying it.
  await owner(`POST /api/v1/workflows/${heard}/publish`);
  await owner(`POST ${ARTIFACTS}/${handler.id}/restore/1`);
  await owner(`PATCH /api/v1/webhooks/${webhook.id}`, { events: ["asked.*"] });
  await owner(`PATCH /api/v1/connectors/${connector.id}`, {
    config: { baseUrl: `${receiver.url}/new` },
  });
  await deploy(owner, app.id);
  await publish(owner, "asked", { type: "asked.it" });
  await until(async () => (await findRuns(world, heard)).length === 1);
  await until(async () => receiver.received.some(({ path }) => path === "/all"));
  expect((await world.stranger(`POST ${handlerPath}`, {})).status).toBe(200);
  expect((await owner(invoke, { action: "request", input: { path: "/" } })).status).toBe(200);
  expect((await browser(world, owner.token)(`GET /apps/default/${app.slug}`)).status).toBe(200);
});

test("code that acts for a member has no session", () => {
  const person = { id: owner.userId, email: "a@example.com", name: "A" };
  const caller: Caller = {
    ...systemCaller(
      { workspace: world.kernel.homeWorkspace, environment: "production" },
      { correlationId: "cor_1", depth: 0 },
    ),
    credential: {
      id: "ses_1",
      kind: "session",
      actor: { id: person.id, name: person.name, type: "user" },
      user: person,
      memberships: new Map(),
    },
    principal: { id: person.id, roles: ["owner"] },
    permissions: new Set(["records:read"]),
  };
  const delegated: Caller = { ...caller, isDelegated: true };
  expect(confinementOf(caller)).toBeUndefined();
  expect(confinementOf(delegated)).toEqual(["records:read"]);
  expect(() => assertOwnerInPerson(caller)).not.toThrow();
  expect(() => assertOwnerInPerson(delegated)).toThrow("This requires a user session");
});
