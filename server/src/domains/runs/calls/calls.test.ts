/** Calls to runs: accepted once, early or late, at a secret address, also if a node dies. */
import { expect, test } from "vitest";
import { openKernel } from "#domains/bus/testing/node.ts";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  chainEdges,
  deployWorkflow,
  readEventTypes,
  stepsOf,
  trigger,
  waitForRun,
} from "../testing/workflows.ts";

const receiver = await useReceiver();
const world = await useWorld({ env: receiver.env });
const owner = await world.member(["owner"]);
const { stranger } = world;

/** Starts a worker. Stopping it without a shutdown simulates a kill. */
async function startWorker() {
  const kernel = await openKernel(world);
  await kernel.startWork();
  return {
    close: () => kernel.close(),
    async kill() {
      const died = new Error("died");
      const { write, system } = kernel.db;
      kernel.db.write = async () => Promise.reject(died);
      kernel.db.system = async () => Promise.reject(died);
      await world.sql("delete from lanes; delete from lane_nodes");
      return async () => {
        Object.assign(kernel.db, { write, system });
        await kernel.close();
      };
    },
  };
}

/** Sends the address to the receiver, then waits. */
const tell = (body: object = { url: "{{ run.resumeUrl }}" }) => ({
  id: "tell",
  type: "http",
  config: { method: "POST", url: `${receiver.url}/tell`, body },
});
const ask = (config: object = {}) => ({ id: "ask", type: "wait_for_call", config });
const show = { id: "show", type: "transform", config: { expression: "steps.ask.output.body" } };

/** The path of the last address sent to the receiver. */
const toldPath = (name = "url"): string => {
  const { body } = receiver.received.at(-1) as unknown as { body: Record<string, string> };
  return new URL(String(body[name])).pathname;
};

/** Starts a run and waits until the step waits. */
async function startWaiting(nodes: readonly object[], more: object = {}) {
  const id = await deployWorkflow(owner, nodes, more);
  const { body } = await trigger(owner, id);
  await waitForRun(owner, body.data.runId, ["waiting"]);
  return { runId: String(body.data.runId), path: toldPath() };
}

test("a call ends the wait once; repeated, forged and late calls get an error", async () => {
  const worker = await startWorker();
  const schema = { type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } };
  const response = { status: 201, headers: { "X-Kind": "thanks" }, body: "Thank you." };
  const config = { methods: ["POST", "PUT"], schema, response };
  const { runId, path } = await startWaiting([tell(), ask(config), show, tell()], {
    nodes: [tell(), ask(config), show, { ...tell({}), id: "last" }],
    edges: chainEdges([tell(), ask(), show, { ...show, id: "last" }]),
  });
  const shown = (await owner(`GET /api/v1/runs/${runId}`)).body.data;
  expect(stepsOf(shown)["ask"]).toMatchObject({ status: "waiting", wait: { kind: "call" } });
  // A reader of the trace must not be able to make the call.
  const token = path.split("/").at(-1) ?? "";
  expect(JSON.stringify(shown)).not.toContain(token);
  expect(stepsOf(shown)["tell"].input.body.url).toContain(`/resume/${runId}/…`);

  const forged = `${path.slice(0, -2)}${path.endsWith("AA") ? "BB" : "AA"}`;
  expect(await stranger(`POST ${forged}`, { ok: true })).toMatchObject({ status: 404, events: [] });
  const other = path.replace(/run_\w+/, "run_00000000000000000000000000");
  expect(await stranger(`POST ${other}`, { ok: true })).toMatchObject({ status: 404 });
  expect(await stranger(`GET ${path}`)).toMatchObject({ status: 405, events: [] });
  const wrong = await stranger(`POST ${path}`, { ok: "yes" });
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ path: "/ok" }] }, events: [] });
  const named = await stranger(`POST ${path}`, { ok: true, f: { $file: "file_x" } });
  expect(named).toMatchObject({ status: 422, events: [] });

  // The last step is held back so that the run is still active at the second call.
  const held = Promise.withResolvers<void>();
  receiver.answer = (_request, answer) => void held.promise.then(() => answer.end());
  const call = await stranger(`PUT ${path}?by=mail`, { ok: true }, { authorization: "Bearer x" });
  expect(call).toMatchObject({ status: 201, events: ["workflow.run_called"] });
  expect(call.headers).toMatchObject({ "x-kind": "thanks" });
  expect(await stranger(`POST ${path}`, { ok: false })).toMatchObject({
    status: 409,
    body: { code: "already_called" },
    events: [],
  });
  held.resolve();
  const run = await waitForRun(owner, runId);
  expect(run.status).toBe("completed");
  const { output, branch } = stepsOf(run)["ask"];
  expect(branch).toBe("called");
  expect(output).toMatchObject({ body: { ok: true }, query: { by: "mail" }, method: "PUT" });
  expect(output.headers).not.toHaveProperty("authorization");
  expect(await stranger(`POST ${path}`, { ok: true })).toMatchObject({
    status: 410,
    body: { code: "wait_over" },
  });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_called",
    "workflow.run_completed",
  ]);
  // A retry waits at the same address again.
  await owner(`POST /api/v1/runs/${runId}/retry`, { from: "ask" });
  await waitForRun(owner, runId, ["waiting"]);
  expect(await stranger(`POST ${path}`, { ok: false })).toMatchObject({ status: 201 });
  expect(stepsOf(await waitForRun(owner, runId))["show"].output).toEqual({ ok: false });
  await worker.close();
});

test("a call before its step is stored, also if the node dies before or after the step starts", async () => {
  const first = await startWorker();
  const held = Promise.withResolvers<void>();
  receiver.answer = (_request, answer) => void held.promise.then(() => answer.end());
  const id = await deployWorkflow(owner, [tell(), ask(), show]);
  const { body } = await trigger(owner, id);
  const runId = String(body.data.runId);
  await until(async () => receiver.received.length > 0);
  const path = toldPath();
  expect(await stranger(`POST ${path}`, { n: 1 })).toMatchObject({
    status: 202,
    body: { data: { runId, stepId: "ask", status: "taken" } },
    events: ["workflow.run_called"],
  });
  expect(await stranger(`POST ${path}`, { n: 2 })).toMatchObject({ status: 409, events: [] });
  const bury = await first.kill();
  held.resolve();
  receiver.answer = (_request, answer) => void answer.end();
  const second = await startWorker();
  const run = await waitForRun(owner, runId);
  expect(run).toMatchObject({ status: "completed", output: { n: 1 } });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_called",
    "workflow.run_completed",
  ]);
  expect(await world.sql("select from run_calls")).toEqual([]);
  await bury();

  // Calls are accepted while no node runs.
  const waiting = await startWaiting([tell(), ask(), show]);
  const buryToo = await second.kill();
  expect(
    await stranger(`POST ${waiting.path}`, "a text", { "content-type": "text/plain" }),
  ).toMatchObject({
    status: 202,
  });
  const third = await startWorker();
  expect(await waitForRun(owner, waiting.runId)).toMatchObject({ output: "a text" });
  await buryToo();
  await third.close();
});

test("each iteration of a loop has its own address; after the timeout its timeout branch runs, or the step fails", async () => {
  const worker = await startWorker();
  const inner = tell({ url: "{{ run.resumeUrl }}", n: "{{ item }}" });
  const loop = {
    id: "each",
    type: "loop",
    config: {
      items: ["a", "b"],
      concurrency: 2,
      body: { nodes: [inner, ask(), show], edges: chainEdges([inner, ask(), show]) },
    },
  };
  const id = await deployWorkflow(owner, [loop]);
  const { body } = await trigger(owner, id);
  await until(async () => receiver.received.length === 2);
  const told = receiver.received.map((request) => request.body as { url: string; n: string });
  for (const { url, n } of told) {
    const { status } = await stranger(`POST ${new URL(url).pathname}`, { said: n });
    expect(status).toBe(202);
  }
  const run = await waitForRun(owner, body.data.runId);
  expect(run.output).toEqual([{ said: "a" }, { said: "b" }]);

  const late = { id: "late", type: "set", config: { values: { late: "{{ steps.ask.output }}" } } };
  const patient = await startWaiting([tell(), ask({ timeoutMs: 60_000 }), show, late], {
    edges: [
      { from: "tell", to: "ask" },
      { from: "ask", to: "show" },
      { from: "ask", to: "late", when: "timeout" },
    ],
  });
  const strict = await startWaiting([tell(), ask({ timeoutMs: 60_000 }), show]);
  world.clock.advance(61_000);
  const timedOut = await waitForRun(owner, patient.runId);
  expect(timedOut).toMatchObject({ status: "completed", output: { late: { timedOut: true } } });
  expect(stepsOf(timedOut)["show"].status).toBe("skipped");
  const failed = await waitForRun(owner, strict.runId);
  expect(failed.error).toMatchObject({ code: "wait_expired", path: "ask" });
  expect(await stranger(`POST ${patient.path}`)).toMatchObject({ status: 410 });
  await worker.close();
});

test("errors about calls in a definition include the path; a test run uses a mock", async () => {
  const nodes = [
    {
      id: "one",
      type: "wait_for_call",
      config: { schema: { properties: { a: { pattern: "x" } } } },
    },
    { id: "two", type: "wait_for_call", config: { methods: ["HEAD"] } },
    tell({
      a: "{{ run.resumeUrl }}",
      b: "{{ run.resumeUrls.three }}",
      c: "{{ run.resumeUrls.two }}",
    }),
  ];
  const saved = await owner("POST /api/v1/workflows", {
    name: "Bad",
    trigger: { type: "manual" },
    nodes,
    edges: [],
  });
  expect(saved.status).toBe(422);
  expect(saved.body.errors.map(({ path }: any) => path).toSorted()).toEqual([
    "/nodes/0/config/schema/properties/a/pattern",
    "/nodes/1/config/methods/0",
    "/nodes/2/config/body/a",
    "/nodes/2/config/body/b",
  ]);
  const id = await deployWorkflow(owner, [ask(), show]);
  const mocks = { ask: { body: { said: "yes" } } };
  const tested = await owner(`POST /api/v1/workflows/${id}/test`, { mocks });
  expect(tested.body.data).toMatchObject({ status: "completed", output: { said: "yes" } });
});

test("a stale call that arrived while the step began to wait is not used by another attempt", async () => {
  const worker = await startWorker();
  const { runId, path } = await startWaiting([
    tell({ url: "{{ run.resumeUrls.ask }}" }),
    ask(),
    { ...ask(), id: "again" },
  ]);
  await world.sql(
    `insert into run_calls (workspace_id, environment, run_id, path, request)
       select workspace_id, environment, id, 'ask', '{}' from runs where id = $1`,
    [runId],
  );
  expect((await stranger(`POST ${path}`, { ok: true })).status).toBe(202);
  await until(async () => {
    const { body } = await owner(`GET /api/v1/runs/${runId}`);
    return stepsOf(body.data)["again"]?.status === "waiting";
  });
  const left = await world.sql("select path from run_calls where run_id = $1", [runId]);
  expect(left).toEqual([]);
  await worker.close();
});
