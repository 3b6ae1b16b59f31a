import { beforeEach, expect, test } from "vitest";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  readEventTypes,
  runWorkflow,
  waitForRun,
  stepsOf,
  trigger,
} from "./testing/workflows.ts";

/** Paths that return a failure. */
let broken = new Set<string>();
const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
beforeEach(() => {
  broken = new Set();
  receiver.received.length = 0;
  receiver.answer = ({ path }, response) =>
    void response.writeHead(broken.has(path) ? 400 : 200).end(path);
});

const call = (id: string) => ({
  id,
  type: "http",
  config: { method: "POST", url: `${receiver.url}/${id}`, body: {} },
});
const retry = (runId: string, body: object = {}) => owner(`POST /api/v1/runs/${runId}/retry`, body);
const paths = () => receiver.received.map(({ path }) => path);
const keyOf = (path: string) =>
  receiver.received
    .filter((one) => one.path === path)
    .map(({ headers }) => headers["idempotency-key"]);

test("a retry continues at the failed step by default, and keeps completed steps", async () => {
  broken.add("/two");
  const failed = await runWorkflow(
    owner,
    await deployWorkflow(owner, [call("one"), call("two"), call("three")]),
  );
  expect(failed).toMatchObject({ status: "failed", error: { path: "two" } });
  broken.clear();
  const answer = await retry(failed.id);
  expect(answer).toMatchObject({
    status: 202,
    body: { data: { id: failed.id, status: "running", error: null, finishedAt: null } },
    events: ["workflow.run_retried"],
  });
  const run = await waitForRun(owner, failed.id);
  expect(run).toMatchObject({ status: "completed", error: null });
  expect(paths()).toEqual(["/one", "/two", "/two", "/three"]);
  // A receiver that remembers the first request would repeat its response.
  expect(new Set(keyOf("/two")).size).toBe(2);
  expect(await readEventTypes(world, failed.id)).toEqual([
    "workflow.run_started",
    "workflow.run_failed",
    "workflow.run_retried",
    "workflow.run_completed",
  ]);
});

test("a retry from the start repeats completed steps", async () => {
  const completed = await runWorkflow(
    owner,
    await deployWorkflow(owner, [call("one"), call("two")]),
  );
  expect(await retry(completed.id, { from: "failed" })).toMatchObject({
    status: 409,
    body: { code: "run_not_failed" },
    events: [],
  });
  expect((await retry(completed.id, { from: "start" })).status).toBe(202);
  expect(await waitForRun(owner, completed.id)).toMatchObject({ status: "completed" });
  expect(paths()).toEqual(["/one", "/two", "/one", "/two"]);
  expect(new Set(keyOf("/one")).size).toBe(2);
});

test("a retry from a step repeats it and all steps downstream", async () => {
  broken.add("/three");
  const nodes = ["one", "two", "three", "beside"].map(call);
  const edges = [
    { from: "one", to: "two" },
    { from: "two", to: "three" },
    { from: "one", to: "beside" },
  ];
  const failed = await runWorkflow(owner, await deployWorkflow(owner, nodes, { edges }));
  expect(failed).toMatchObject({ status: "failed", error: { path: "three" } });
  broken.clear();
  receiver.received.length = 0;
  expect((await retry(failed.id, { from: "two" })).status).toBe(202);
  expect(await waitForRun(owner, failed.id)).toMatchObject({ status: "completed" });
  expect(paths()).toEqual(["/two", "/three"]);
});

test("a retry is rejected for a step outside the workflow and for an unfinished run", async () => {
  broken.add("/one");
  const failed = await runWorkflow(owner, await deployWorkflow(owner, [call("one")]));
  expect(await retry(failed.id, { from: "nowhere" })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/from" }] },
    events: [],
  });
  const { body } = await trigger(
    owner,
    await deployWorkflow(owner, [{ id: "sleep", type: "delay", config: { ms: 60_000 } }]),
  );
  expect(await retry(body.data.runId)).toMatchObject({
    status: 409,
    body: { code: "run_not_over" },
    events: [],
  });
});

test("a retried loop continues with the failed items", async () => {
  broken.add("/item-2");
  const id = await deployWorkflow(owner, [
    {
      id: "each",
      type: "loop",
      config: {
        items: [1, 2, 3],
        body: {
          nodes: [
            {
              id: "send",
              type: "http",
              config: { method: "POST", url: `${receiver.url}/item-{{ item }}`, body: {} },
            },
          ],
          edges: [],
        },
      },
    },
  ]);
  const failed = await runWorkflow(owner, id);
  expect(failed).toMatchObject({ status: "failed", error: { path: "each[1].send" } });
  broken.clear();
  await retry(failed.id);
  const run = await waitForRun(owner, failed.id);
  expect(run.status).toBe("completed");
  expect(run.output).toHaveLength(3);
  expect(paths()).toEqual(["/item-1", "/item-2", "/item-2", "/item-3"]);
});

test("a failed subworkflow starts again", async () => {
  broken.add("/inner");
  const inner = await deployWorkflow(owner, [call("inner")]);
  const failed = await runWorkflow(
    owner,
    await deployWorkflow(owner, [
      { id: "sub", type: "subworkflow", config: { workflowId: inner } },
    ]),
  );
  expect(failed).toMatchObject({ status: "failed", error: { code: "subworkflow_failed" } });
  broken.clear();
  await retry(failed.id);
  expect(await waitForRun(owner, failed.id)).toMatchObject({
    status: "completed",
    output: { body: "/inner" },
  });
  const { body } = await owner(`GET /api/v1/workflows/${inner}/runs`);
  expect(body.data.map(({ status }: { status: string }) => status).toSorted()).toEqual([
    "completed",
    "failed",
  ]);
});

test("a retry with the latest version drops the records of removed steps", async () => {
  broken.add("/two");
  const id = await deployWorkflow(owner, [call("one"), call("two")]);
  const failed = await runWorkflow(owner, id);
  await owner(`PATCH /api/v1/workflows/${id}`, {
    nodes: [
      { id: "one", type: "set", config: { values: { now: "computed" } } },
      { id: "two", type: "set", config: { values: { was: "{{ steps.one.output.now }}" } } },
    ],
  });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  expect((await retry(failed.id, { version: "latest" })).status).toBe(202);
  const run = await waitForRun(owner, failed.id);
  expect(run).toMatchObject({ status: "completed", version: 2, output: { was: "computed" } });
  expect(stepsOf(run)).toMatchObject({ one: { type: "set" } });
  expect(paths()).toEqual(["/one", "/two"]);
});

test("an approval that was open when the run was cancelled is requested again", async () => {
  const { body } = await trigger(
    owner,
    await deployWorkflow(owner, [
      { id: "ask", type: "approval", config: { approvers: ["owner"] } },
    ]),
  );
  const { runId } = body.data;
  await owner(`POST /api/v1/runs/${runId}/cancel`);
  await retry(runId);
  await waitForRun(owner, runId, ["paused"]);
  expect((await owner(`POST /api/v1/runs/${runId}/resume`, { approved: true })).status).toBe(200);
  expect(await waitForRun(owner, runId)).toMatchObject({ status: "completed" });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_paused",
    "workflow.run_cancelled",
    "workflow.run_retried",
    "workflow.run_paused",
    "workflow.run_resumed",
    "workflow.run_completed",
  ]);
});

/** More runs than one transaction retries. */
const MANY = 52;

test("a bulk retry runs in the background and retries each selected run once", async () => {
  broken.add("/one");
  const id = await deployWorkflow(owner, [call("one")]);
  const other = await runWorkflow(owner, await deployWorkflow(owner, [call("one")]));
  const runs = await Promise.all(Array.from({ length: MANY }, () => runWorkflow(owner, id)));
  broken.clear();
  const answer = await owner("POST /api/v1/runs/retry", { filter: { workflowId: id } });
  expect(answer).toMatchObject({
    status: 202,
    body: { data: { count: MANY } },
    events: ["workflow.bulk_retry_requested"],
  });
  for (const { id: runId } of runs) {
    expect(await waitForRun(owner, runId, ["completed"])).toMatchObject({ status: "completed" });
  }
  const told = await Promise.all(runs.map((run) => readEventTypes(world, run.id)));
  for (const types of told) {
    expect(types).toEqual([
      "workflow.run_started",
      "workflow.run_failed",
      "workflow.run_retried",
      "workflow.run_completed",
    ]);
  }
  const [by] = await world.sql(
    "select actor_id from events where type = 'workflow.run_retried' and resource_id = $1",
    [runs[0].id],
  );
  expect(by.actor_id).toBe(owner.userId);
  expect((await owner(`GET /api/v1/runs/${other.id}`)).body.data.status).toBe("failed");
  const none = await owner("POST /api/v1/runs/retry", { filter: { workflowId: id } });
  expect(none).toMatchObject({ status: 202, body: { data: { count: 0 } }, events: [] });
});

test("a completed run can be repeated from a step", async () => {
  const done = await runWorkflow(owner, await deployWorkflow(owner, [call("one"), call("two")]));
  const before = paths().length;
  const answer = await retry(done.id, { from: "two" });
  expect(answer).toMatchObject({ status: 202, events: ["workflow.run_retried"] });
  expect(await waitForRun(owner, done.id)).toMatchObject({ status: "completed" });
  expect(paths().slice(before)).toEqual(["/two"]);
});

test("a run restarts with another input if no kept step used the original input", async () => {
  const ECHO = { id: "echo", type: "transform", config: { expression: "trigger.input.n" } };
  const run = await runWorkflow(owner, await deployWorkflow(owner, [ECHO]), { n: 1 });
  expect(await retry(run.id, { from: "echo", input: { n: 2 } })).toMatchObject({
    status: 422,
    events: [],
  });
  const answer = await retry(run.id, { from: "start", input: { n: 2 } });
  expect(answer).toMatchObject({ status: 202, events: ["workflow.run_retried"] });
  const again = await waitForRun(owner, run.id);
  expect(again).toMatchObject({ output: 2, trigger: { type: "manual", input: { n: 2 } } });
  const { body } = await owner(`GET /api/v1/audit?resourceId=${run.id}&type=workflow.run_retried`);
  expect(body.data[0].data).toMatchObject({ inputReplaced: true });
});

test("a replaced input must match the schema of the trigger", async () => {
  const id = await deployWorkflow(owner, [{ id: "a", type: "set", config: { values: {} } }], {
    trigger: { type: "manual", inputSchema: { type: "object", required: ["n"] } },
  });
  const run = await runWorkflow(owner, id, { n: 1 });
  const answer = await retry(run.id, { from: "start", input: { m: 2 } });
  expect([answer.status, answer.events]).toEqual([422, []]);
  expect(answer.body.errors).toEqual([{ path: "/input/n", message: "is required" }]);
});

test("a dry run of a bulk retry counts runs, lists skipped runs with reasons, and changes nothing", async () => {
  const FAIL = { id: "no", type: "fail", config: { message: "Out of paper." } };
  const kept = await deployWorkflow(owner, [FAIL]);
  const archived = await deployWorkflow(owner, [FAIL]);
  const runs = [await runWorkflow(owner, kept), await runWorkflow(owner, kept)];
  const gone = await runWorkflow(owner, archived);
  await owner(`DELETE /api/v1/workflows/${archived}`);
  const runIds = [...runs.map(({ id }) => id), gone.id];
  const filter = { runIds, error: "out of PAPER" };
  const preview = await owner("POST /api/v1/runs/retry", { filter, dryRun: true });
  expect(preview).toMatchObject({
    status: 202,
    events: [],
    body: {
      data: {
        count: 2,
        skipped: [{ code: "workflow_archived", count: 1, runIds: [gone.id] }],
      },
    },
  });
  const none = { filter: { runIds, error: "100%" }, dryRun: true };
  expect((await owner("POST /api/v1/runs/retry", none)).body.data.count).toBe(0);
  const asked = await owner("POST /api/v1/runs/retry", { filter: { runIds: [runs[0].id] } });
  expect(asked).toMatchObject({
    body: { data: { count: 1 } },
    events: ["workflow.bulk_retry_requested"],
  });
});

test("a replaced input cannot use the rights of a user who tested an undeployed version", async () => {
  const id = await deployWorkflow(owner, [
    { id: "first", type: "set", config: { values: { n: 1 } } },
  ]);
  const nodes = [{ id: "second", type: "set", config: { values: { n: 2 } } }];
  const saved = await owner(`PATCH /api/v1/workflows/${id}`, { nodes });
  expect(saved.events).toContain("workflow.version_created");
  const versions = await owner(`GET /api/v1/workflows/${id}/versions`);
  const versionId = versions.body.data[0].id;
  const tried = await owner(`POST /api/v1/workflows/${id}/trigger`, { versionId, input: { n: 1 } });
  await waitForRun(owner, tried.body.data.runId);
  const agent = await world.member(["agent"]);
  const path = `POST /api/v1/runs/${tried.body.data.runId}/retry`;
  expect((await agent(path, { from: "start", input: { n: 2 } })).status).toBe(202);
  const [row] = await world.sql("select run_as, permissions from runs where id = $1", [
    tried.body.data.runId,
  ]);
  const me = (await agent("GET /api/v1/auth/me")).body.data.user.id;
  expect(row.run_as).toBe(me);
});
