import { beforeEach, expect, test } from "vitest";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  readEventTypes,
  waitForRun,
  stepsOf,
  trigger,
} from "./testing/workflows.ts";

/** Connections that were closed while the upstream kept them waiting. */
let cut = 0;
const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
beforeEach(() => {
  cut = 0;
  receiver.received.length = 0;
  receiver.answer = (_received, response) => void response.once("close", () => (cut += 1));
});

const hang = () => ({
  id: "hang",
  type: "http",
  config: { method: "POST", url: `${receiver.url}/hang`, body: {} },
});
const cancel = (runId: string) => owner(`POST /api/v1/runs/${runId}/cancel`);

test("cancelling a run with a hanging step ends it at once and closes the connection", async () => {
  const { body } = await trigger(owner, await deployWorkflow(owner, [hang()]));
  const { runId } = body.data;
  await until(async () => receiver.received.length === 1);
  const answer = await cancel(runId);
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { id: runId, status: "cancelled", finishedAt: expect.any(String) } },
    events: ["workflow.run_cancelled"],
  });
  await until(async () => cut === 1);
  const run = await waitForRun(owner, runId);
  expect(stepsOf(run)["hang"]).toMatchObject({ status: "cancelled" });
  expect(await cancel(runId)).toMatchObject({
    status: 409,
    body: { code: "run_over" },
    events: [],
  });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_cancelled",
  ]);
});

test("cancelling waiting and paused runs deletes their waits", async () => {
  const nodes = [
    { id: "ask", type: "approval", config: { approvers: ["owner"] } },
    { id: "hear", type: "wait_for_event", config: { topic: "never" } },
    { id: "sleep", type: "delay", config: { ms: 60_000 } },
  ];
  const { body } = await trigger(owner, await deployWorkflow(owner, nodes, { edges: [] }));
  const { runId } = body.data;
  expect(body.data.status).toBe("paused");
  expect((await cancel(runId)).status).toBe(200);
  const run = await waitForRun(owner, runId);
  expect(run.trace.steps.map(({ status }: { status: string }) => status)).toEqual(
    nodes.map(() => "cancelled"),
  );
  const left = await world.sql(
    `select run_id from run_waits where run_id = $1 union all
     select run_id from run_approvals where run_id = $1`,
    [runId],
  );
  expect(left).toEqual([]);
  world.clock.advance(61_000);
  expect(await owner(`POST /api/v1/runs/${runId}/resume`, { approved: true })).toMatchObject({
    status: 409,
    events: [],
  });
});

test("cancelling a run cancels its child runs at every depth", async () => {
  const inner = await deployWorkflow(owner, [hang()]);
  const sub = (workflowId: string) => [{ id: "sub", type: "subworkflow", config: { workflowId } }];
  const middle = await deployWorkflow(owner, sub(inner));
  const { body } = await trigger(owner, await deployWorkflow(owner, sub(middle)));
  await until(async () => receiver.received.length === 1);
  const answer = await cancel(body.data.runId);
  expect(answer.events).toEqual(Array.from({ length: 3 }, () => "workflow.run_cancelled"));
  await until(async () => cut === 1);
  for (const id of [inner, middle]) {
    const { body: runs } = await owner(`GET /api/v1/workflows/${id}/runs`);
    expect(runs.data).toMatchObject([{ status: "cancelled", triggerType: "subworkflow" }]);
  }
});

test("a run fails if it waits for a cancelled run", async () => {
  const inner = await deployWorkflow(owner, [hang()]);
  const nodes = [{ id: "sub", type: "subworkflow", config: { workflowId: inner } }];
  const { body } = await trigger(owner, await deployWorkflow(owner, nodes));
  await waitForRun(owner, body.data.runId, ["waiting"]);
  await until(async () => receiver.received.length === 1);
  const { body: runs } = await owner(`GET /api/v1/workflows/${inner}/runs`);
  await cancel(runs.data[0].id);
  const run = await waitForRun(owner, body.data.runId);
  expect(run).toMatchObject({
    status: "failed",
    error: { code: "subworkflow_failed", path: "sub" },
  });
});

test("a cancelled run frees its slot for the next run, and a queued run can be cancelled", async () => {
  const id = await deployWorkflow(owner, [hang()], { maxConcurrency: 1 });
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { body, events } = await trigger(owner, id);
    expect(events).toEqual(["workflow.run_queued"]);
    ids.push(body.data.runId);
  }
  const [first = "", second = "", third = ""] = ids;
  await until(async () => receiver.received.length === 1);
  expect((await cancel(second)).status).toBe(200);
  expect((await cancel(first)).status).toBe(200);
  await until(async () => receiver.received.length === 2);
  expect((await owner(`GET /api/v1/runs/${third}`)).body.data.status).toBe("running");
  expect(await readEventTypes(world, second)).toEqual([
    "workflow.run_queued",
    "workflow.run_cancelled",
  ]);
  await cancel(third);
  await until(async () => cut === 2);
});

test("a retry immediately after cancellation continues the run", async () => {
  const { body } = await trigger(owner, await deployWorkflow(owner, [hang()]));
  const { runId } = body.data;
  await until(async () => receiver.received.length === 1);
  await cancel(runId);
  receiver.answer = (_received, response) => response.end("well");
  expect((await owner(`POST /api/v1/runs/${runId}/retry`, {})).status).toBe(202);
  expect(await waitForRun(owner, runId)).toMatchObject({
    status: "completed",
    output: { body: "well" },
  });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_cancelled",
    "workflow.run_retried",
    "workflow.run_completed",
  ]);
});

test.each([
  ["fails", 30_000, {}, "failed_by_design"],
  ["takes too long", 90_000, { timeoutMs: 60_000 }, "timeout"],
])("the child runs end when it %s", async (_why, ms, more, code) => {
  const inner = await deployWorkflow(owner, [hang()]);
  const nodes = [
    { id: "sub", type: "subworkflow", config: { workflowId: inner } },
    { id: "sleep", type: "delay", config: { ms } },
    { id: "stop", type: "fail", config: { message: "No." } },
  ];
  const edges = [{ from: "sleep", to: "stop" }];
  const { body } = await trigger(owner, await deployWorkflow(owner, nodes, { edges, ...more }));
  const { runId } = body.data;
  await until(async () => receiver.received.length === 1);
  await waitForRun(owner, runId, ["waiting"]);
  world.clock.advance(61_000);
  expect(await waitForRun(owner, runId)).toMatchObject({ status: "failed", error: { code } });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_failed",
  ]);
  const { body: runs } = await owner(`GET /api/v1/workflows/${inner}/runs`);
  expect(runs.data).toMatchObject([{ status: "cancelled", parentRunId: runId }]);
  expect(await readEventTypes(world, runs.data[0].id)).toEqual([
    "workflow.run_started",
    "workflow.run_cancelled",
  ]);
  await until(async () => cut === 1);
});

test("a bulk cancel runs in the background and ends only the active runs selected by the filter", async () => {
  const wait = { id: "sleep", type: "delay", config: { ms: 600_000 } };
  const [one, other] = [
    await deployWorkflow(owner, [wait], { name: "One" }),
    await deployWorkflow(owner, [wait], { name: "Other" }),
  ];
  const start = async (id: string) => (await trigger(owner, id)).body.data.runId as string;
  const runs = [await start(one), await start(one), await start(other)];
  const end = (body: object, ask = owner) => ask("POST /api/v1/runs/cancel", body);
  const filter = { workflowId: one };
  expect(await end({ filter, dryRun: true })).toMatchObject({
    status: 202,
    body: { data: { count: 2 } },
    events: [],
  });
  const viewer = await world.member(["viewer"]);
  expect((await end({ filter }, viewer)).status).toBe(403);
  expect(await end({ filter })).toMatchObject({
    status: 202,
    body: { data: { count: 2 } },
    events: ["workflow.bulk_cancel_requested"],
  });
  for (const id of runs.slice(0, 2)) await waitForRun(owner, id, ["cancelled"]);
  expect((await owner(`GET /api/v1/runs/${runs[2]}`)).body.data.status).toBe("waiting");
  expect(await end({ filter })).toMatchObject({ body: { data: { count: 0 } }, events: [] });
  const late = { runIds: runs, status: "waiting" };
  expect((await end({ filter: late })).body.data.count).toBe(1);
  await waitForRun(owner, runs[2] ?? "", ["cancelled"]);
});
