import { expect, test } from "vitest";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  readEventTypes,
  runWorkflow,
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

test("set, condition, switch, transform and respond compute and take one branch", async () => {
  const id = await deployWorkflow(
    owner,
    [
      set("order", {
        total: "{{ trigger.input.total }}",
        label: "order {{ trigger.input.total }}",
      }),
      { id: "big", type: "condition", config: { expression: "steps.order.output.total > 100" } },
      {
        id: "kind",
        type: "switch",
        config: { expression: "trigger.input.kind", cases: ["a", "b"] },
      },
      { id: "small", type: "transform", config: { expression: "'small'" } },
      { id: "a", type: "respond", config: { status: 201, headers: { "x-a": "1" }, body: "A" } },
      { id: "other", type: "respond", config: { body: "{{ steps.order.output.label }}" } },
    ],
    {
      edges: [
        { from: "order", to: "big" },
        { from: "big", to: "kind", when: "true" },
        { from: "big", to: "small", when: "false" },
        { from: "kind", to: "a", when: "a" },
        { from: "kind", to: "other", when: "default" },
      ],
    },
  );
  const big = await runWorkflow(owner, id, { total: 200, kind: "a" });
  expect(big.output).toEqual({ status: 201, headers: { "x-a": "1" }, body: "A" });
  expect(stepsOf(big)).toMatchObject({
    order: { output: { total: 200, label: "order 200" } },
    big: { output: true, branch: "true" },
    kind: { branch: "a" },
    small: { status: "skipped", startedAt: null, durationMs: null },
    other: { status: "skipped" },
  });
  expect(big.trace.steps.map((step: { id: string }) => step.id)).toEqual([
    "order",
    "big",
    "kind",
    "a",
    "small",
    "other",
  ]);
  expect((await runWorkflow(owner, id, { total: 200, kind: "z" })).output.body).toBe("order 200");
  const small = await runWorkflow(owner, id, { total: 1 });
  expect(stepsOf(small)).toMatchObject({
    small: { output: "small" },
    kind: { status: "skipped" },
  });
});

test("branches run in parallel, and a join waits for all taken branches", async () => {
  let release: (() => void)[] = [];
  receiver.answer = (_received, response) => void release.push(() => response.end("done"));
  const { body } = await trigger(
    owner,
    await deployWorkflow(
      owner,
      [
        set("start"),
        call("left"),
        call("right"),
        {
          id: "join",
          type: "transform",
          config: { expression: "steps.left.output.body & steps.right.output.body" },
        },
      ],
      {
        edges: [
          { from: "start", to: "left" },
          { from: "start", to: "right" },
          { from: "left", to: "join" },
          { from: "right", to: "join" },
        ],
      },
    ),
  );
  await until(async () => release.length === 2);
  const { data: during } = (await owner(`GET /api/v1/runs/${body.data.runId}`)).body;
  expect(during.status).toBe("running");
  expect(stepsOf(during)).toMatchObject({
    left: { status: "running" },
    right: { status: "running" },
  });
  expect(stepsOf(during)).not.toHaveProperty("join");
  for (const answer of release) answer();
  release = [];
  const run = await waitForRun(owner, body.data.runId);
  expect(run.output).toBe("donedone");
  expect(await readEventTypes(world, run.id)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
});

test("a loop runs its body for each item in order, within its concurrency limit", async () => {
  let now = 0;
  let most = 0;
  receiver.answer = ({ body }, response) => {
    now += 1;
    most = Math.max(most, now);
    setImmediate(() => {
      now -= 1;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ got: body.item }));
    });
  };
  const run = await deployAndRun(
    owner,
    [
      {
        id: "each",
        type: "loop",
        config: {
          items: "{{ trigger.input }}",
          as: "thing",
          concurrency: 3,
          body: {
            nodes: [
              {
                id: "send",
                type: "http",
                config: { method: "POST", url: `${receiver.url}/x`, body: { item: "{{ thing }}" } },
              },
              {
                id: "shape",
                type: "set",
                config: { values: { is: "{{ steps.send.output.body.got }}", at: "{{ index }}" } },
              },
            ],
            edges: [{ from: "send", to: "shape" }],
          },
        },
      },
    ],
    {},
    ["a", "b", "c", "d", "e", "f", "g"],
  );
  expect(run.status).toBe("completed");
  expect(run.output).toEqual("a b c d e f g".split(" ").map((is, at) => ({ is, at })));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(3);
  const { total, truncated } = run.trace;
  expect({ total, truncated }).toEqual({ total: 15, truncated: false });
  const part = (await owner(`GET /api/v1/runs/${run.id}?steps=2`)).body.data.trace;
  expect(part).toMatchObject({ total: 15, truncated: true });
  const rest = (
    await owner(`GET /api/v1/runs/${run.id}?afterStep=${encodeURIComponent(part.steps[1].id)}`)
  ).body.data;
  expect([...part.steps, ...rest.trace.steps]).toEqual(run.trace.steps);
});

test("a delay waits, and a wait step waits for the next matching event", async () => {
  const id = await deployWorkflow(owner, [
    { id: "sleep", type: "delay", config: { ms: 30_000 } },
    {
      id: "paid",
      type: "wait_for_event",
      config: {
        topic: "orders",
        eventType: "order.paid",
        filter: { "data.order": 7 },
        timeoutMs: 90_000,
      },
    },
    { id: "sum", type: "transform", config: { expression: "steps.paid.output.data.amount" } },
  ]);
  const publish = (order: number, amount: number) =>
    owner("POST /api/v1/events/topics/orders/publish", {
      type: "order.paid",
      payload: { order, amount },
    });
  const { body } = await trigger(owner, id);
  const asleep = await waitForRun(owner, body.data.runId, ["waiting"]);
  expect(stepsOf(asleep)["sleep"].wait).toMatchObject({ kind: "delay" });
  world.clock.advance(31_000);
  await until(async () => {
    const { body: now } = await owner(`GET /api/v1/runs/${body.data.runId}`);
    return stepsOf(now.data)["paid"]?.wait?.kind === "event";
  });
  await publish(8, 1);
  await publish(7, 42);
  const run = await waitForRun(owner, body.data.runId);
  expect(run).toMatchObject({ status: "completed", output: 42 });
  const late = await trigger(owner, id);
  await waitForRun(owner, late.body.data.runId, ["waiting"]);
  world.clock.advance(31_000);
  await until(async () => {
    const { body: now } = await owner(`GET /api/v1/runs/${late.body.data.runId}`);
    return stepsOf(now.data)["paid"]?.wait?.kind === "event";
  });
  world.clock.advance(91_000);
  expect(await waitForRun(owner, late.body.data.runId)).toMatchObject({
    status: "failed",
    error: { code: "wait_expired", path: "paid" },
  });
});

test("publish_event and notify use the workflow as actor and the deployer's rights", async () => {
  const nodes = [
    {
      id: "tell",
      type: "publish_event",
      config: { topic: "told", type: "thing.told", payload: { n: "{{ trigger.input }}" } },
    },
    {
      id: "ring",
      type: "notify",
      config: { userIds: [owner.userId], title: "Told {{ trigger.input }}" },
    },
  ];
  const id = await deployWorkflow(owner, nodes);
  const run = await runWorkflow(owner, id, 7);
  expect(run.status).toBe("completed");
  await world.settled();
  const { body } = await owner("GET /api/v1/events/topics/told/events");
  expect(body.data).toMatchObject([
    { type: "thing.told", data: { n: 7 }, actor: { id, type: "workflow" }, depth: 1 },
  ]);
  expect(body.data[0].correlationId).toBe(run.correlationId);
  const mine = await owner("GET /api/v1/notifications");
  expect(mine.body.data[0]).toMatchObject({ title: "Told 7" });
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Quiet builder",
    permissions: ["workflows:*", "deployments:*"],
  });
  const quiet = await world.member([role.data.id]);
  const refused = await deployAndRun(quiet, nodes.slice(1));
  expect(refused).toMatchObject({ status: "failed", error: { code: "forbidden", path: "ring" } });
});

test("a secret is used, and appears neither in the trace nor in events", async () => {
  await owner("POST /api/v1/secrets", { name: "RUN_KEY", value: "sesame-9f2e71" });
  receiver.answer = ({ headers }, response) => response.end(`you said ${headers["authorization"]}`);
  const run = await deployAndRun(owner, [
    {
      id: "call",
      type: "http",
      config: {
        method: "POST",
        url: `${receiver.url}/x?k={{secrets.RUN_KEY}}`,
        body: {},
        headers: { Authorization: "Bearer {{secrets.RUN_KEY}}" },
      },
    },
    {
      id: "show",
      type: "set",
      config: { values: { key: "is {{secrets.RUN_KEY}}", said: "{{ steps.call.output.body }}" } },
    },
    { id: "stop", type: "fail", config: { message: "With {{secrets.RUN_KEY}}" } },
  ]);
  expect(run.status).toBe("failed");
  expect(receiver.received[0]?.headers["authorization"]).toBe("Bearer sesame-9f2e71");
  expect(JSON.stringify(run)).not.toContain("sesame");
  const kept = await world.sql("select records::text from run_journal where run_id = $1", [run.id]);
  const told = await world.sql("select data::text from events where resource_id = $1", [run.id]);
  expect(JSON.stringify([kept, told])).not.toContain("sesame");
});
