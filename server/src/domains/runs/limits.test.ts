import { expect, test } from "vitest";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { takeLink } from "./start/chain-bound.ts";
import { tellRefusedStart } from "./start/chain-cut.ts";
import {
  deployWorkflow,
  readEventTypes,
  runWorkflow,
  waitForRun,
  stepsOf,
  trigger,
} from "./testing/workflows.ts";

const receiver = await useReceiver();
const world = await useWorld({
  work: true,
  env: { ...receiver.env, MILLRACE_CHAIN_RUNS_MAX: "40" },
});
const owner = await world.member(["owner"]);

test("concurrent runs with one key stay within the workflow's limit, and all complete", async () => {
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  receiver.answer = ({ body: { key } }, response) => {
    now.set(key, (now.get(key) ?? 0) + 1);
    most.set(key, Math.max(most.get(key) ?? 0, now.get(key) ?? 0));
    setImmediate(() => {
      now.set(key, (now.get(key) ?? 0) - 1);
      response.end();
    });
  };
  const body = { key: "{{ trigger.input.key }}" };
  const send = (id: string) => ({
    id,
    type: "http",
    config: { method: "POST", url: `${receiver.url}/x`, body },
  });
  const id = await deployWorkflow(owner, [send("a"), send("b")], {
    maxConcurrency: 2,
    concurrencyKey: "{{ trigger.input.key }}",
  });
  const started = await Promise.all(
    Array.from({ length: 24 }, (_, n) => trigger(owner, id, { key: n % 2 ? "odd" : "even" })),
  );
  for (const { body: answer } of started) {
    expect(await waitForRun(owner, answer.data.runId)).toMatchObject({ status: "completed" });
  }
  expect(receiver.received).toHaveLength(48);
  for (const key of ["odd", "even"]) {
    expect(most.get(key)).toBeGreaterThan(0);
    expect(most.get(key)).toBeLessThanOrEqual(2);
  }
  const counted = await world.sql(
    "select type, count(*)::int as n from events where type like 'workflow.run_%' group by type order by type",
  );
  expect(counted).toEqual([
    { type: "workflow.run_completed", n: 24 },
    { type: "workflow.run_queued", n: 24 },
    { type: "workflow.run_started", n: 24 },
  ]);
});

test("a retried run queues like other runs", async () => {
  receiver.answer = (_received, response) => void response.writeHead(400).end();
  const call = {
    id: "call",
    type: "http",
    config: { method: "POST", url: `${receiver.url}/x`, body: {} },
  };
  const id = await deployWorkflow(owner, [call], { maxConcurrency: 1 });
  const failed = await runWorkflow(owner, id);
  let release: (() => void) | undefined;
  receiver.answer = (_received, response) => void (release = () => response.end());
  const { body } = await trigger(owner, id);
  await until(async () => release !== undefined);
  const retried = await owner(`POST /api/v1/runs/${failed.id}/retry`, {});
  expect(retried.body.data.status).toBe("queued");
  receiver.answer = (_received, response) => response.end();
  release?.();
  for (const runId of [body.data.runId, failed.id]) {
    expect(await waitForRun(owner, runId)).toMatchObject({ status: "completed" });
  }
});

test("waiting steps receive the output of subworkflows, including failures", async () => {
  receiver.answer = (_received, response) => response.end("inner");
  const call = {
    id: "call",
    type: "http",
    config: { method: "POST", url: `${receiver.url}/x`, body: {} },
  };
  const inner = await deployWorkflow(owner, [
    call,
    {
      id: "out",
      type: "set",
      config: { values: { got: "{{ steps.call.output.body }}", n: "{{ trigger.input.n }}" } },
    },
  ]);
  const sub = (id: string, workflowId: string, more: object = {}) => ({
    id,
    type: "subworkflow",
    config: { workflowId, input: { n: "{{ trigger.input.n }}" } },
    ...more,
  });
  const middle = await deployWorkflow(owner, [sub("inner", inner)]);
  const run = await runWorkflow(owner, await deployWorkflow(owner, [sub("middle", middle)]), {
    n: 3,
  });
  expect(run).toMatchObject({ status: "completed", output: { got: "inner", n: 3 } });
  const { body } = await owner(`GET /api/v1/workflows/${inner}/runs`);
  expect(body.data).toMatchObject([
    { triggerType: "subworkflow", correlationId: run.correlationId },
  ]);
  const failing = await deployWorkflow(owner, [
    { id: "stop", type: "fail", config: { message: "Not today." } },
  ]);
  const failed = await runWorkflow(owner, await deployWorkflow(owner, [sub("it", failing)]));
  expect(failed).toMatchObject({
    status: "failed",
    error: { code: "subworkflow_failed", message: "Not today." },
  });
  const computed = await deployWorkflow(owner, [
    { id: "one", type: "set", config: { values: { quick: true } } },
  ]);
  const quick = await runWorkflow(owner, await deployWorkflow(owner, [sub("it", computed)]));
  expect(quick).toMatchObject({ status: "completed", output: { quick: true } });
});

test("a workflow that calls itself is stopped at depth 16", async () => {
  const id = await deployWorkflow(owner, [{ id: "one", type: "set", config: { values: {} } }]);
  await owner(`PATCH /api/v1/workflows/${id}`, {
    nodes: [{ id: "again", type: "subworkflow", config: { workflowId: id } }],
  });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  const run = await runWorkflow(owner, id);
  expect(run).toMatchObject({ status: "failed", error: { code: "subworkflow_failed" } });
  const rows = await world.sql("select depth from runs where workflow_id = $1 order by depth", [
    id,
  ]);
  expect(rows.map(({ depth }) => depth)).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
  const [deepest] = await world.sql("select id from runs where workflow_id = $1 and depth = 16", [
    id,
  ]);
  const last = await waitForRun(owner, deepest.id);
  expect(stepsOf(last)["again"].error.code).toBe("chain_too_deep");
});

test("a workflow that starts itself three times per run is stopped after the maximum number of runs per cause", async () => {
  const tell = (n: number) => ({
    id: `tell${n}`,
    type: "publish_event",
    config: { topic: "chain.test", type: "chain.told", payload: { n } },
  });
  const trigger = { type: "event_bus", topic: "chain.test" };
  const id = await deployWorkflow(owner, [tell(1), tell(2), tell(3)], { trigger, edges: [] });
  const cause = await runWorkflow(owner, id);
  const counts = () =>
    world.sql(
      `select count(*) filter (where depth < 3)::int as free, count(*) filter (where depth >= 3)::int as counted,
              count(*) filter (where finished_at is null)::int as open
         from runs where correlation_id = $1`,
      [cause.correlationId],
    );
  await until(async () => {
    const [{ counted, open }] = await counts();
    return counted >= 40 && open === 0;
  });
  // All its events are processed and start no more runs.
  await world.settled();
  const marker = await deployWorkflow(owner, [{ ...tell(0), id: "last" }], {
    trigger: { type: "event_bus", topic: "chain.marker" },
  });
  await owner("POST /api/v1/events/topics/chain.marker/publish", {
    type: "chain.ended",
    payload: {},
  });
  await until(
    async () => (await owner(`GET /api/v1/workflows/${marker}/runs`)).body.data.length > 0,
  );
  expect(await counts()).toEqual([{ free: 4, counted: 40, open: 0 }]);
  expect(
    world.lines.filter((line) => line.includes("a chain of automations was stopped")),
  ).toHaveLength(1);
  // The cut is reported once, for any number of skipped events.
  const { correlationId } = cause;
  const toldOf = async (chain: string) =>
    (
      await world.sql(
        `select type, resource_id, data from events
          where correlation_id = $1 and type not like 'workflow.run%' and type <> 'chain.told' order by epoch, xid, seq`,
        [chain],
      )
    ).map(({ type, resource_id, data }) => [
      type,
      type === "workflow.chain_cut" ? resource_id : data.userId,
      data,
    ]);
  const cut = (chain: string) => ({
    workflowId: id,
    workflowName: expect.any(String),
    correlationId: chain,
    runsMax: 40,
  });
  const sent = { eventType: "workflow.chain_cut", resource: { type: "workflow", id } };
  const expectTold = async (chain: string) =>
    expect(await toldOf(chain)).toEqual([
      ["workflow.chain_cut", id, cut(chain)],
      ["notification.sent", owner.userId, expect.objectContaining(sent)],
    ]);
  await expectTold(correlationId);
  const { body } = await owner("GET /api/v1/notifications");
  expect(body.data.filter(({ eventType }: any) => eventType === "workflow.chain_cut")).toEqual([
    expect.objectContaining({ ...sent, body: expect.stringContaining(correlationId) }),
  ]);
  const refused = {
    workspace: world.home,
    workflowId: id,
    depth: 3,
    environment: "production",
  } as const;
  for (const chain of [correlationId, "cor_refused", "cor_refused"]) {
    const refusedCause = { correlationId: chain, depth: 3 };
    await tellRefusedStart(world.kernel, { ...refused, correlationId: chain, cause: refusedCause });
  }
  await expectTold(correlationId);
  await expectTold("cor_refused");
  const link = { workspace: world.home, correlationId: cause.correlationId, depth: 3 };
  expect(await takeLink(world.kernel, { ...link, workflowId: id })).toBe(false);
  // Other workflows of the same cause continue, and so does a workflow with runs on other days.
  expect(await takeLink(world.kernel, { ...link, workflowId: marker })).toBe(true);
  await world.sql(
    "update runs set created_at = created_at - interval '2 days' where correlation_id = $1",
    [cause.correlationId],
  );
  await until(() => takeLink(world.kernel, { ...link, workflowId: id }));
});

test("rolled back starts do not count as runs of a cause", async () => {
  const link = { workspace: world.home, workflowId: "wf_x", correlationId: "cor_x", depth: 3 };
  for (let attempt = 0; attempt < 100; attempt += 1) {
    expect(await takeLink(world.kernel, link)).toBe(true);
  }
});

test("runs of a version without a limit do not block other runs", async () => {
  const release: (() => void)[] = [];
  receiver.answer = (_received, response) => void release.push(() => response.end());
  const call = {
    id: "call",
    type: "http",
    config: { method: "POST", url: `${receiver.url}/x`, body: {} },
  };
  const id = await deployWorkflow(owner, [call]);
  const free = await trigger(owner, id);
  await until(async () => release.length === 1);
  await owner(`PATCH /api/v1/workflows/${id}`, { maxConcurrency: 1 });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  const limited = await trigger(owner, id);
  await until(async () => release.length === 2);
  for (const end of release) end();
  for (const { body } of [free, limited]) {
    expect(await waitForRun(owner, body.data.runId)).toMatchObject({ status: "completed" });
  }
});

test("the time in the queue does not count against the timeout", async () => {
  const sleep = { id: "sleep", type: "delay", config: { ms: 40_000 } };
  const id = await deployWorkflow(owner, [sleep], { maxConcurrency: 1, timeoutMs: 60_000 });
  const [first, second] = [await trigger(owner, id), await trigger(owner, id)];
  const [one, two] = [first.body.data.runId, second.body.data.runId];
  await waitForRun(owner, one, ["waiting"]);
  const deadlines = () =>
    world.sql("select deadline_at is not null as set from runs where id = any($1) order by id", [
      [one, two],
    ]);
  expect(await deadlines()).toEqual([{ set: true }, { set: false }]);
  world.clock.advance(41_000);
  expect(await waitForRun(owner, one)).toMatchObject({ status: "completed" });
  await waitForRun(owner, two, ["waiting"]);
  expect(await deadlines()).toEqual([{ set: true }, { set: true }]);
  world.clock.advance(41_000);
  expect(await waitForRun(owner, two)).toMatchObject({ status: "completed" });
  expect(await readEventTypes(world, two)).toEqual([
    "workflow.run_queued",
    "workflow.run_started",
    "workflow.run_completed",
  ]);
});

test("An admitted run still has its timeout.", async () => {
  const sleep = { id: "sleep", type: "delay", config: { ms: 90_000 } };
  const id = await deployWorkflow(owner, [sleep], { maxConcurrency: 1, timeoutMs: 60_000 });
  const { body } = await trigger(owner, id);
  await waitForRun(owner, body.data.runId, ["waiting"]);
  world.clock.advance(61_000);
  expect(await waitForRun(owner, body.data.runId)).toMatchObject({
    status: "failed",
    error: { code: "timeout" },
  });
});

test("uses the output of an immediately completed child run as the step result without a message", async () => {
  const inner = await deployWorkflow(owner, [
    { id: "one", type: "set", config: { values: { quick: true } } },
  ]);
  const nodes = [{ id: "sub", type: "subworkflow", config: { workflowId: inner } }];
  const run = await runWorkflow(owner, await deployWorkflow(owner, nodes));
  expect(run).toMatchObject({ status: "completed", output: { quick: true } });
  const words = await world.sql(
    `select line from run_journal, jsonb_array_elements(records) as line
      where run_id = $1 and line ? 'told'`,
    [run.id],
  );
  expect(words).toEqual([]);
});
