/** Workflow semantics: execution matches the definition. */
import { expect, test } from "vitest";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  deployAndRun,
  deployWorkflow,
  readEventTypes,
  runWorkflow,
  stepsOf,
  trigger,
  waitForRun,
} from "./testing/workflows.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const set = (id: string, values: object) => ({ id, type: "set", config: { values } });
const call = (id: string, more: object = {}) => ({
  id,
  type: "http",
  config: { method: "POST", url: `${receiver.url}/${id}`, body: { n: "{{ trigger.input }}" } },
  ...more,
});
const loop = (items: unknown, nodes: readonly object[], more: object = {}) => ({
  id: "each",
  type: "loop",
  config: { items, body: { nodes, edges: [] }, ...more },
});

test("a loop accepts an expression with no value, one value and many values", async () => {
  const id = await deployWorkflow(owner, [
    loop("{{ trigger.input.items[price > 1] }}", [set("one", { p: "{{ item.price }}" })]),
  ]);
  const outputs = await Promise.all(
    [[], [1], [1, 2], [2, 3], null].map(async (prices) => {
      const items = prices?.map((price) => ({ price }));
      return (await runWorkflow(owner, id, { items })).output;
    }),
  );
  expect(outputs).toEqual([[], [], [{ p: 2 }], [{ p: 2 }, { p: 3 }], []]);
});

test("a disconnected step does not run, and causes a warning", async () => {
  const nodes = [
    set("first", { n: 1 }),
    { ...set("lost", { n: 2 }), start: false },
    set("after", {}),
  ];
  const edges = [{ from: "lost", to: "after" }];
  const id = await deployWorkflow(owner, nodes, { edges });
  const run = await runWorkflow(owner, id, {});
  expect([run.status, run.output]).toEqual(["completed", { n: 1 }]);
  const { first, lost, after } = stepsOf(run);
  expect([first.status, lost.status, after.status]).toEqual(["completed", "skipped", "skipped"]);
  const definition = { name: "Lost", trigger: { type: "manual" }, nodes, edges };
  const warned = async (body: object) =>
    (await owner("POST /api/v1/workflows/validate", body)).body.data.warnings;
  const message = "is not connected: it does not run";
  expect(await warned(definition)).toEqual([
    { path: "/nodes/1", message, stepId: "lost", field: "" },
    { path: "/nodes/2", message, stepId: "after", field: "" },
  ]);
  // A trigger that names the step starts with it.
  const trigger = { type: "manual", start: ["lost"] };
  expect(await warned({ ...definition, trigger })).toEqual([]);
});

test("runs with one key are admitted in order of arrival", async () => {
  const order = new Map<string, number[]>();
  receiver.answer = ({ body: { n } }, response) => {
    order.set(n.key, [...(order.get(n.key) ?? []), n.n]);
    setImmediate(() => response.end());
  };
  const id = await deployWorkflow(owner, [call("a")], {
    maxConcurrency: 1,
    concurrencyKey: "{{ trigger.input.key }}",
  });
  const started: string[] = [];
  for (let n = 0; n < 16; n += 1) {
    const { body } = await trigger(owner, id, { key: n % 2 ? "odd" : "even", n });
    started.push(body.data.runId);
  }
  for (const runId of started) await waitForRun(owner, runId);
  expect(order.get("even")).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
  expect(order.get("odd")).toEqual([1, 3, 5, 7, 9, 11, 13, 15]);
});

test("an error response is retried only if a retry can help, after the requested delay", async () => {
  const statuses: Record<string, number> = { "/gone": 422, "/told": 409, "/busy": 429 };
  receiver.answer = ({ path }, response) =>
    void response.writeHead(statuses[path] ?? 200, { "retry-after": "7200" }).end("no");
  const retry = { maxAttempts: 3, backoffMs: 1, strategy: "fixed" };
  const gone = await deployAndRun(owner, [call("gone", { retry })]);
  expect(gone.error).toMatchObject({ code: "http_status", path: "gone" });
  expect(receiver.received).toHaveLength(1);
  for (const [path, more] of [
    ["busy", {}],
    ["told", { statuses: [409] }],
  ] as const) {
    const id = await deployWorkflow(owner, [call(path, { retry: { ...retry, ...more } })]);
    const { body } = await trigger(owner, id);
    const waiting = await waitForRun(owner, body.data.runId, ["waiting"]);
    const { wait } = stepsOf(waiting)[path];
    expect(Date.parse(wait.until) - world.clock.nowMs()).toBeGreaterThan(7_000_000);
    delete statuses[`/${path}`];
    world.clock.advance(7_200_000);
    const run = await waitForRun(owner, body.data.runId);
    expect(stepsOf(run)[path]).toMatchObject({ status: "completed", attempts: 2 });
  }
});

test("an error branch sees the rejected call, and an ignored step failure is shown as failed", async () => {
  receiver.answer = (_received, response) =>
    void response
      .writeHead(404, { "content-type": "application/json", "x-kind": "none" })
      .end('{"why":"no order"}');
  const seen = set("seen", {
    status: "{{ steps.find.error.status }}",
    kind: "{{ steps.find.error.headers.`x-kind` }}",
    why: "{{ steps.find.error.body.why }}",
  });
  const branched = await deployAndRun(owner, [call("find", { onError: "branch" }), seen], {
    edges: [{ from: "find", to: "seen", when: "error" }],
  });
  expect(branched.output).toEqual({ status: 404, kind: "none", why: "no order" });
  const passed = await deployAndRun(owner, [
    call("find", { onError: "continue" }),
    set("next", {}),
  ]);
  expect(passed.status).toBe("completed");
  expect(stepsOf(passed)).toMatchObject({
    find: {
      status: "failed",
      onError: "continue",
      error: { code: "http_status", status: 404, body: { why: "no order" } },
    },
    next: { status: "completed" },
  });
});

test("errors name the item of a loop, the field and the expression", async () => {
  const sum = set("sum", { total: { net: "{{ item.price + 1 }}" } });
  const items = Array.from({ length: 30 }, (_, index) => ({ price: index === 21 ? "x" : index }));
  const run = await deployAndRun(owner, [loop(items, [sum])]);
  expect(run.error).toEqual({
    code: "expression_evaluation",
    message: "/values/total/net: The left side of + must be a number.",
    path: "each[21].sum",
    field: "/values/total/net",
    expression: "item.price + 1",
  });
  const { body } = await owner(`GET /api/v1/runs/${run.id}?stepStatus=failed`);
  expect(body.data.trace).toMatchObject({
    total: 2,
    steps: [{ id: "each", error: { path: "each[21].sum" } }, { id: "each[21].sum" }],
  });
  const condition = { id: "if", type: "condition", config: { expression: "trigger.input < 1" } };
  const asked = await deployAndRun(owner, [condition], {}, { a: 1 });
  expect(asked.error).toMatchObject({
    path: "if",
    field: "/expression",
    expression: "trigger.input < 1",
  });
});

test("a loop stops at the item that makes its output too large, and a retry repeats no item", async () => {
  receiver.answer = (_received, response) => response.end("x".repeat(200_000));
  const body = [{ ...call("get"), config: { ...call("get").config, body: { n: "{{ item }}" } } }];
  const items = Array.from({ length: 20 }, (_, index) => index);
  const id = await deployWorkflow(owner, [loop(items, body)]);
  const failed = await runWorkflow(owner, id);
  expect(failed).toMatchObject({
    status: "failed",
    error: { code: "output_too_large", path: "each[5].get" },
  });
  expect(receiver.received).toHaveLength(6);
  const nodes = [loop(items, body, { collect: false })];
  await owner(`PATCH /api/v1/workflows/${id}`, { nodes });
  await owner(`POST /api/v1/workflows/${id}/publish`, {});
  await owner(`POST /api/v1/runs/${failed.id}/retry`, { version: "latest" });
  const mended = await waitForRun(owner, failed.id);
  expect(mended).toMatchObject({ status: "completed", output: { count: 20 } });
  expect(receiver.received.map(({ body: { n } }) => n)).toEqual(items);
});

test("a waiting step receives events since the start of the run, each once", async () => {
  const release = Promise.withResolvers<void>();
  receiver.answer = (_received, response) => void release.promise.then(() => response.end());
  const wait = (id: string) => ({
    id,
    type: "wait_for_event",
    config: {
      topic: "callbacks",
      filter: { "data.order": "{{ trigger.input }}" },
      timeoutMs: 600_000,
    },
  });
  const publish = (order: number) =>
    owner("POST /api/v1/events/topics/callbacks/publish", { type: "paid", payload: { order } });
  await publish(7);
  const id = await deployWorkflow(owner, [call("pay"), wait("first"), wait("second")]);
  const { body } = await trigger(owner, id, 7);
  await until(async () => receiver.received.length === 1);
  // Another transaction keeps the log unsettled until the step has searched for earlier events.
  const writer = await world.unsettle();
  const [, early] = [await publish(8), await publish(7)];
  release.resolve();
  const waiting = await waitForRun(owner, body.data.runId, ["waiting"]);
  const looks = new Set<unknown>();
  await until(async () => {
    const found = await world.sql("select id from jobs where kind = 'runs.past_events'");
    for (const look of found) looks.add(look["id"]);
    return looks.size > 1;
  });
  await writer.release();
  const heard = await until(async () => {
    const { trace } = await waitForRun(owner, waiting.id, ["waiting"]);
    const steps = stepsOf({ trace });
    return steps["second"]?.status === "waiting" && steps["first"];
  });
  expect(heard.output.id).toBe(early.body.data.id);
  const late = await publish(7);
  const run = await waitForRun(owner, body.data.runId);
  expect(run.output.id).toBe(late.body.data.id);
  expect(await readEventTypes(world, run.id)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
});

test("a retry with the latest version repeats no completed step", async () => {
  receiver.answer = ({ path }, response) =>
    void response.writeHead(path === "/two" && receiver.received.length < 3 ? 400 : 200).end();
  const id = await deployWorkflow(owner, [call("one"), call("two")]);
  const failed = await runWorkflow(owner, id);
  await owner(`PATCH /api/v1/workflows/${id}`, { name: "Mended" });
  await owner(`POST /api/v1/workflows/${id}/publish`, {});
  await owner(`POST /api/v1/runs/${failed.id}/retry`, { version: "latest" });
  expect(await waitForRun(owner, failed.id)).toMatchObject({ status: "completed" });
  expect(receiver.received.map(({ path }) => path)).toEqual(["/one", "/two", "/two"]);
});

test("expressions see the workspace, parents, joins and their whole scope, but no secret unnamed", async () => {
  await owner("POST /api/v1/secrets", { name: "HIDDEN", value: "planted-secret" });
  const input = {
    order: { id: 9, items: [{ sku: "a" }, { sku: "b" }] },
    staff: [{ ssn: "1", first: "F" }],
    contacts: [{ ssn: "1", phone: 7 }],
  };
  const run = await deployAndRun(
    owner,
    [
      set("all", {
        lines: '{{ trigger.input.order.items.{"sku": sku, "order": %.id} }}',
        keys: "{{ $sort($keys($$)) }}",
        sku: "{{ **.sku }}",
        joined: "{{ trigger.input.(staff@$s.contacts@$c[$c.ssn = $s.ssn].($s.first & $c.phone)) }}",
        encoded: "{{ $base64encode('€ü') & $base64decode('4oKs') }}",
        workspace: "{{ workspace }}",
      }),
      {
        ...call("send"),
        config: {
          ...call("send").config,
          body: { k: "{{ secrets.HIDDEN }}", all: "{{ $string($$) }}" },
        },
      },
    ],
    {},
    input,
  );
  expect(stepsOf(run)["all"].output).toMatchObject({
    lines: [
      { sku: "a", order: 9 },
      { sku: "b", order: 9 },
    ],
    keys: ["environment", "run", "steps", "trigger", "workspace"],
    sku: ["a", "b"],
    joined: "F7",
    encoded: "4oKsw7w=€",
    workspace: {
      id: expect.stringMatching(/^ws_/),
      slug: "default",
      name: expect.any(String),
      timezone: "UTC",
    },
  });
  const [sent] = receiver.received;
  expect(sent?.body.k).toBe("planted-secret");
  expect(sent?.body.all).not.toContain("planted-secret");
});

test("an expression without a value adds a note to the trace", async () => {
  const run = await deployAndRun(
    owner,
    [set("hi", { text: "Hello {{ trigger.input.nmae }}" })],
    {},
    {},
  );
  expect(stepsOf(run)["hi"]).toMatchObject({
    output: { text: "Hello " },
    logs: [{ level: "info", message: "/values/text: trigger.input.nmae has no value." }],
  });
});

test("an aborted step has its start time, and a fail step has the code set by its author", async () => {
  receiver.answer = ({ path }, response) => void (path === "/one" && response.end());
  const id = await deployWorkflow(owner, [call("one"), call("two")]);
  const { body } = await trigger(owner, id);
  await until(async () => receiver.received.length === 2);
  await owner(`POST /api/v1/runs/${body.data.runId}/cancel`);
  const { one, two } = stepsOf(await waitForRun(owner, body.data.runId));
  expect(two).toMatchObject({ status: "cancelled", startedAt: one.finishedAt });
  const stop = { id: "stop", type: "fail", config: { message: "No stock.", code: "no_stock" } };
  const failed = await deployAndRun(owner, [stop]);
  expect(failed.error).toEqual({ code: "no_stock", message: "No stock.", path: "stop" });
});

test("an archived workflow can be retried only after it is restored", async () => {
  receiver.answer = (_received, response) =>
    void response.writeHead(receiver.received.length < 2 ? 400 : 200).end();
  const id = await deployWorkflow(owner, [call("one")]);
  const failed = await runWorkflow(owner, id);
  await owner(`DELETE /api/v1/workflows/${id}`);
  const refused = await owner(`POST /api/v1/runs/${failed.id}/retry`, {});
  expect(refused).toMatchObject({ status: 409, body: { code: "workflow_archived" }, events: [] });
  const back = await owner(`POST /api/v1/workflows/${id}/unarchive`);
  expect(back).toMatchObject({
    status: 200,
    body: { data: { status: "inactive" } },
    events: ["workflow.unarchived"],
  });
  const retried = await owner(`POST /api/v1/runs/${failed.id}/retry`, {});
  expect(retried).toMatchObject({ status: 202, events: ["workflow.run_retried"] });
  expect(await waitForRun(owner, failed.id)).toMatchObject({ status: "completed" });
});
