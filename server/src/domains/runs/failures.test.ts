import { expect, test } from "vitest";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  readEventTypes,
  deployAndRun,
  waitForRun,
  stepsOf,
  trigger,
} from "./testing/workflows.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const set = (id: string, values: object = {}) => ({ id, type: "set", config: { values } });
const call = (id: string, more: object = {}) => ({
  id,
  type: "http",
  config: { method: "POST", url: `${receiver.url}/${id}`, body: { from: id } },
  ...more,
});

test("a failing step is retried with increasing delays, and then fails the run", async () => {
  receiver.answer = (_received, response) => void response.writeHead(500).end("no");
  const retry = { maxAttempts: 3, backoffMs: 60_000, strategy: "exponential" };
  const id = await deployWorkflow(owner, [call("shaky", { retry })]);
  const { body } = await trigger(owner, id);
  const waiting = await waitForRun(owner, body.data.runId, ["waiting"]);
  expect(stepsOf(waiting)["shaky"]).toMatchObject({
    status: "waiting",
    attempts: 1,
    wait: { kind: "retry", until: expect.any(String) },
    error: { code: "http_status" },
  });
  world.clock.advance(60_000);
  await until(async () => {
    const again = await waitForRun(owner, body.data.runId, ["waiting"]);
    return stepsOf(again)["shaky"].attempts === 2;
  });
  world.clock.advance(120_000);
  const run = await waitForRun(owner, body.data.runId);
  expect(run).toMatchObject({
    status: "failed",
    error: { code: "http_status", path: "shaky" },
  });
  expect(stepsOf(run)["shaky"]).toMatchObject({ status: "failed", attempts: 3 });
  const keys = receiver.received.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(await readEventTypes(world, run.id)).toEqual([
    "workflow.run_started",
    "workflow.run_failed",
  ]);
});

test("a failure can be ignored or handled on another branch", async () => {
  receiver.answer = (_received, response) => void response.writeHead(404).end("not here");
  const passed = await deployAndRun(owner, [
    call("lost", { onError: "continue" }),
    set("after", { x: 1 }),
  ]);
  expect(passed).toMatchObject({ status: "completed", output: { x: 1 } });
  expect(stepsOf(passed)["lost"]).toMatchObject({
    status: "failed",
    onError: "continue",
    output: null,
    error: { code: "http_status", message: "The response status was 404." },
    logs: [{ level: "error", metadata: { body: "not here" } }],
  });
  const handled = await deployAndRun(
    owner,
    [
      call("lost", { onError: "branch" }),
      set("fine"),
      set("handle", { why: "{{ steps.lost.error.code }}" }),
    ],
    {
      edges: [
        { from: "lost", to: "fine" },
        { from: "lost", to: "handle", when: "error" },
      ],
    },
  );
  expect(handled).toMatchObject({ status: "completed", output: { why: "http_status" } });
});

test("a step and a run that exceed their timeout fail", async () => {
  receiver.answer = () => undefined;
  const step = await deployAndRun(owner, [call("slow", { timeoutMs: 50 })]);
  expect(step).toMatchObject({ status: "failed", error: { code: "timeout", path: "slow" } });
  const id = await deployWorkflow(
    owner,
    [{ id: "sleep", type: "delay", config: { ms: 600_000 } }],
    {
      timeoutMs: 60_000,
    },
  );
  const { body } = await trigger(owner, id);
  world.clock.advance(61_000);
  const run = await waitForRun(owner, body.data.runId);
  expect(run).toMatchObject({ status: "failed", error: { code: "timeout" } });
  expect(stepsOf(run)["sleep"]).toMatchObject({ status: "cancelled" });
});

test("a fail step fails the run and starts the error workflow", async () => {
  const hears = await deployWorkflow(owner, [
    {
      id: "note",
      type: "set",
      config: {
        values: { why: "{{ trigger.input.error.message }}", which: "{{ trigger.input.run.id }}" },
      },
    },
  ]);
  const run = await deployAndRun(
    owner,
    [{ id: "stop", type: "fail", config: { message: "No {{ trigger.input }}." } }],
    { errorWorkflowId: hears },
    "stock",
  );
  expect(run).toMatchObject({
    status: "failed",
    error: { code: "failed_by_design", message: "No stock." },
  });
  const [heard] = await until(async () => {
    const { body } = await owner(`GET /api/v1/workflows/${hears}/runs?status=completed`);
    return body.data.length > 0 && body.data;
  });
  expect(heard).toMatchObject({ triggerType: "error", correlationId: run.correlationId });
  const { body } = await owner(`GET /api/v1/runs/${heard.id}`);
  expect(body.data.output).toEqual({ why: "No stock.", which: run.id });
});

test("an output that is too large fails the step", async () => {
  receiver.answer = (_received, response) => response.end("x".repeat(1_100_000));
  expect(await deployAndRun(owner, [call("huge")])).toMatchObject({
    status: "failed",
    error: { code: "response_too_large" },
  });
  const grow =
    "$join([1..20000].('0123456789012345678901234567890123456789012345678901234567890'))";
  expect(
    await deployAndRun(owner, [{ id: "grow", type: "transform", config: { expression: grow } }]),
  ).toMatchObject({ status: "failed", error: { path: "grow" } });
});

test("a run that exceeds its timeout ends while a step hangs, and the step is aborted", async () => {
  let cut = false;
  receiver.answer = (_received, response) => void response.once("close", () => (cut = true));
  const id = await deployWorkflow(owner, [call("hang")], { timeoutMs: 60_000 });
  const { body } = await trigger(owner, id);
  await until(async () => receiver.received.length === 1);
  world.clock.advance(61_000);
  const run = await waitForRun(owner, body.data.runId);
  expect(run).toMatchObject({ status: "failed", error: { code: "timeout" } });
  await until(async () => cut);
});

test("a delay ends on time while another step is in flight", async () => {
  let release = (): void => undefined;
  receiver.answer = ({ path }, response) => {
    if (path === "/after") response.end();
    else release = () => response.end();
  };
  const sleep = { id: "sleep", type: "delay", config: { ms: 60_000 } };
  const id = await deployWorkflow(owner, [call("slow"), sleep, call("after")], {
    edges: [{ from: "sleep", to: "after" }],
  });
  const { body } = await trigger(owner, id);
  await until(async () => receiver.received.length === 1);
  world.clock.advance(61_000);
  await until(async () => receiver.received.some(({ path }) => path === "/after"));
  release();
  expect(await waitForRun(owner, body.data.runId)).toMatchObject({ status: "completed" });
  expect(receiver.received).toHaveLength(2);
});
