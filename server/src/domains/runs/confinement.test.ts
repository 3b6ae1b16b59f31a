/** A token with few permissions gains no more through a workflow, for any kind of trigger. */
import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  runWorkflow,
  waitForRun,
  stepsOf,
  createToken,
  trigger,
} from "./testing/workflows.ts";
import { waitUntilIdle, publish, findRuns } from "./testing/triggers.ts";

const SCOPES = [
  "deployments:create",
  "events:read",
  "workflows:read",
  "workflows:trigger",
  "workflows:write",
];
const SAY = { id: "say", type: "publish_event", config: { topic: "said", type: "said.it" } };
const NOTE = { id: "note", type: "set", config: { values: {} } };

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const robot = await createToken(world, owner, SCOPES);

const confinedTo = async (workflowId: string) =>
  (await findRuns(world, workflowId)).map(({ run_as, permissions }) => ({ run_as, permissions }));

test("a workflow deployed with a token has the permissions of the token; deployed in a session, all permissions", async () => {
  const confined = await runWorkflow(owner, await deployWorkflow(robot, [SAY]));
  expect(confined).toMatchObject({ status: "failed", error: { code: "forbidden", path: "say" } });
  const free = await deployWorkflow(owner, [SAY]);
  const { body } = await trigger(robot, free);
  expect(await waitForRun(owner, body.data.runId)).toMatchObject({ status: "completed" });
  expect(await confinedTo(free)).toEqual([{ run_as: owner.userId, permissions: null }]);
});

test("a version named by a token runs with the permissions of the token", async () => {
  const id = await deployWorkflow(owner, [SAY]);
  const { body } = await owner(`GET /api/v1/workflows/${id}/versions`);
  const versionId: string = body.data[0].id;
  const named = await robot(`POST /api/v1/workflows/${id}/trigger`, { versionId });
  const run = await waitForRun(owner, named.body.data.runId);
  expect(stepsOf(run)["say"]).toMatchObject({ status: "failed", error: { code: "forbidden" } });
  const own = await owner(`POST /api/v1/workflows/${id}/trigger`, { versionId });
  expect(await waitForRun(owner, own.body.data.runId)).toMatchObject({ status: "completed" });
});

test("runs always use deployment permissions, regardless of the trigger", async () => {
  const heard = await deployWorkflow(robot, [NOTE], {
    trigger: { type: "event_bus", topic: "asked" },
  });
  const hooked = await deployWorkflow(robot, [NOTE], { trigger: { type: "webhook" } });
  const called = await deployWorkflow(robot, [NOTE]);
  const hears = await deployWorkflow(robot, [NOTE]);
  const calls = { id: "call", type: "subworkflow", config: { workflowId: called } };
  const stop = { id: "stop", type: "fail", config: { message: "No." } };
  const outer = await deployWorkflow(owner, [calls, stop], { errorWorkflowId: hears });
  await publish(owner, "asked", { type: "go" });
  const { body } = await owner(`GET /api/v1/workflows/${hooked}`);
  const { pathname } = new URL(body.data.trigger.url);
  expect((await world.stranger(`POST ${pathname}`, {})).status).toBe(202);
  expect(await runWorkflow(owner, outer)).toMatchObject({ error: { code: "failed_by_design" } });
  for (const id of [heard, hooked, called, hears]) {
    const runs = await until(async () => {
      const found = await confinedTo(id);
      return found.length > 0 && found;
    });
    expect(runs).toEqual([{ run_as: owner.userId, permissions: SCOPES }]);
  }
  expect(await confinedTo(outer)).toEqual([{ run_as: owner.userId, permissions: null }]);
});

test("runs started by a schedule have the permissions of their deployment", async () => {
  const id = await deployWorkflow(robot, [NOTE], {
    trigger: { type: "schedule", cron: "0 * * * *" },
  });
  await until(async () => {
    const armed = await world.sql("select from jobs where kind = 'runs.schedule'");
    return armed.length > 0;
  });
  world.clock.advance(3_600_000);
  await until(async () => (await confinedTo(id)).length > 0);
  expect((await confinedTo(id))[0]).toEqual({ run_as: owner.userId, permissions: SCOPES });
});

test("rollback, and activation of an undeployed workflow, count as deployment", async () => {
  const id = await deployWorkflow(owner, [NOTE]);
  await owner(`PATCH /api/v1/workflows/${id}`, { description: "Another one" });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  expect((await robot(`POST /api/v1/workflows/${id}/rollback`, {})).status).toBe(200);
  await trigger(owner, id);
  expect(await confinedTo(id)).toEqual([{ run_as: owner.userId, permissions: SCOPES }]);
  const staging = { "x-environment": "staging" };
  const on = await robot(`POST /api/v1/workflows/${id}/activate`, undefined, staging);
  expect(on.status).toBe(200);
  const rows = await world.sql(
    "select permissions from workflow_deployments where workflow_id = $1 and environment = 'staging'",
    [id],
  );
  expect(rows).toEqual([{ permissions: SCOPES }]);
});

test("a retry with the latest version uses the permissions of its deployment", async () => {
  const id = await deployWorkflow(robot, [SAY]);
  const failed = await runWorkflow(owner, id);
  const retried = async (version: string) => {
    await owner(`POST /api/v1/runs/${failed.id}/retry`, { version });
    return waitForRun(owner, failed.id);
  };
  expect((await owner(`POST /api/v1/workflows/${id}/publish`)).status).toBe(200);
  expect(await retried("same")).toMatchObject({ status: "failed", error: { code: "forbidden" } });
  expect(await retried("latest")).toMatchObject({ status: "completed" });
});

test("a token that may not read the audit log gets none of its events through a workflow", async () => {
  const source = { type: "event_bus", topic: "platform.events", eventType: "audit.secret.created" };
  const hidden = await deployWorkflow(robot, [NOTE], { trigger: source });
  const auditor = await createToken(world, owner, [...SCOPES, "audit:read"]);
  const shown = await deployWorkflow(auditor, [NOTE], { trigger: source });
  await owner("POST /api/v1/secrets", { name: "WATCHED", value: "quite secret" });
  await waitUntilIdle(world);
  expect(await confinedTo(hidden)).toEqual([]);
  expect(await confinedTo(shown)).toHaveLength(1);
});
