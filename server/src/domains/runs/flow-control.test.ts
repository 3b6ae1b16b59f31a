/** Flow control: loops, repeats, merges, pagination, status codes as data, and detached runs. */
import { expect, test } from "vitest";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { useWorld } from "#kernel/testing/world.ts";
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

const json = { "content-type": "application/json" };

test("a loop node runs per item in list order; each item is retried and skipped separately", async () => {
  const seen: number[] = [];
  receiver.answer = ({ body }, response) => {
    const { n } = body;
    seen.push(n);
    const isFirst = seen.filter((one) => one === n).length === 1;
    const refused = n === 3 && isFirst ? 503 : 200;
    response.writeHead(n === 2 ? 422 : refused, json).end(JSON.stringify({ n: n * 10 }));
  };
  const call = {
    id: "call",
    type: "http",
    config: {
      method: "POST",
      url: `${receiver.url}/n`,
      body: { n: "{{ order.n }}", at: "{{ index }}" },
    },
    retry: { maxAttempts: 2, backoffMs: 1 },
    forEach: { items: "{{ trigger.input }}", as: "order", concurrency: 2, ratePerSecond: 500 },
  };
  const sum = {
    id: "sum",
    type: "transform",
    config: { expression: "$sum(steps.call.output.body.n)" },
  };
  const orders = [{ n: 1 }, { n: 2 }, { n: 3 }];
  const passed = await deployAndRun(owner, [{ ...call, onError: "continue" }, sum], {}, orders);
  expect(passed).toMatchObject({ status: "completed", output: 40 });
  expect(stepsOf(passed)).toMatchObject({
    call: { type: "loop", items: 3, output: [{ status: 200 }, null, { status: 200 }] },
    "call[1].call": { type: "http", status: "failed", error: { status: 422 } },
    "call[2].call": { attempts: 2, input: { body: { n: 3, at: 2 } } },
  });
  expect(await readEventTypes(world, passed.id)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
  const failed = await deployAndRun(owner, [call, sum], {}, orders);
  expect(failed.error).toMatchObject({ code: "http_status", path: "call[1].call" });
  // One item and an empty list work too.
  const few = await deployWorkflow(owner, [call, sum]);
  expect((await runWorkflow(owner, few, { n: 5 })).output).toBe(50);
  expect(stepsOf(await runWorkflow(owner, few, []))["call"].output).toEqual([]);
});

test("saving rejects nodes that cannot loop over items", async () => {
  const save = (nodes: readonly object[]) =>
    owner("POST /api/v1/workflows", { name: "Bad", trigger: { type: "manual" }, nodes, edges: [] });
  const { status, body } = await save([
    { id: "a", type: "condition", config: { expression: "true" }, forEach: { items: [1] } },
    { id: "b", type: "set", config: { values: { x: "{{ thing }}" } }, forEach: { items: "none" } },
    {
      id: "c",
      type: "set",
      config: { values: { x: "{{ row }}" } },
      forEach: { items: "{{ row }}", as: "row" },
    },
    {
      id: "d",
      type: "repeat",
      config: {
        until: "steps.nobody.output",
        body: {
          nodes: [{ id: "in", type: "set", config: { values: { s: "{{ state }}" } } }],
          edges: [],
        },
      },
    },
    { id: "e", type: "merge", config: { mode: "by_key", lists: [[], []] } },
    { id: "f", type: "http", config: { url: "https://x.example", nextPage: "reponse.body" } },
  ]);
  expect(status).toBe(422);
  expect(body.errors.map(({ path }: any) => path).toSorted()).toEqual([
    "/nodes/0/forEach",
    "/nodes/1/config/values/x",
    "/nodes/1/forEach/items",
    "/nodes/2/forEach/items",
    "/nodes/3/config/until",
    "/nodes/4/config/keys",
    "/nodes/5/config/nextPage",
  ]);
});

test("a repeat passes its output to the next iteration, waits in between, and ends by its condition or limit", async () => {
  const repeat = (config: object) => ({
    id: "poll",
    type: "repeat",
    config: {
      state: { n: 0 },
      body: {
        nodes: [{ id: "next", type: "set", config: { values: { n: "{{ state.n + 1 }}" } } }],
        edges: [],
      },
      ...config,
    },
  });
  const counted = await deployAndRun(owner, [
    repeat({ until: "state.n = 3", max: 10, collect: true }),
  ]);
  expect(counted.output).toEqual({
    turns: 3,
    done: true,
    last: { n: 3 },
    outputs: [{ n: 1 }, { n: 2 }, { n: 3 }],
  });
  const exhausted = await deployAndRun(owner, [repeat({ until: "false", max: 2 })]);
  expect(exhausted.error).toMatchObject({ code: "repeat_exhausted", path: "poll[1].$until" });
  const counting = repeat({ until: "false", max: 2, whenExhausted: "continue" });
  expect((await deployAndRun(owner, [counting])).output).toMatchObject({ turns: 2, done: false });
  const id = await deployWorkflow(owner, [
    repeat({ until: "steps.next.output.n = 2", everyMs: 3_600_000 }),
  ]);
  const { body } = await trigger(owner, id);
  await waitForRun(owner, body.data.runId, ["waiting"]);
  world.clock.advance(3_600_000);
  const run = await waitForRun(owner, body.data.runId);
  expect(run.output).toMatchObject({ turns: 2, last: { n: 2 } });
  expect(await readEventTypes(world, run.id)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
});

test("an iteration without executed steps counts, and a test run does not wait", async () => {
  const nodes = [
    {
      id: "turns",
      type: "repeat",
      config: {
        max: 3,
        everyMs: 3_600_000,
        body: {
          nodes: [
            { id: "odd", type: "condition", config: { expression: "index = 1" } },
            { id: "mark", type: "set", config: { values: { odd: true } } },
          ],
          edges: [{ from: "odd", to: "mark", when: "true" }],
        },
        collect: true,
      },
    },
  ];
  const { body } = await owner("POST /api/v1/workflows", {
    name: "Turns",
    trigger: { type: "manual" },
    nodes,
    edges: [],
  });
  const tested = await owner(`POST /api/v1/workflows/${body.data.id}/test`, {});
  expect(tested.body.data.output).toEqual({
    turns: 3,
    done: false,
    last: null,
    outputs: [null, { odd: true }, null],
  });
});

test("lists are merged by key, by position, as pairs, and by appending", async () => {
  const people = [
    { id: 1, name: "Ada" },
    { id: 2, name: "Grace" },
    { id: null, name: "Nobody" },
  ];
  const mails = [
    { person: { id: 2 }, mail: "grace@example.com", name: "G" },
    { person: { id: 2 }, mail: "hopper@example.com" },
    { person: { id: 9 }, mail: "nine@example.com" },
  ];
  const merge = async (config: object) =>
    (
      await deployAndRun(owner, [
        { id: "m", type: "merge", config: { lists: [people, mails], ...config } },
      ])
    ).output;
  const byKey = { mode: "by_key", keys: ["id = person.id"] };
  expect((await merge(byKey)).map(({ name, mail }: any) => `${name} ${mail}`)).toEqual([
    "G grace@example.com",
    "Grace hopper@example.com",
  ]);
  expect(await merge({ ...byKey, join: "left", prefer: "left" })).toMatchObject([
    { name: "Grace" },
    { name: "Grace" },
    { name: "Ada" },
    { name: "Nobody" },
  ]);
  expect(await merge({ ...byKey, join: "unmatched_both" })).toMatchObject([
    { name: "Ada" },
    { name: "Nobody" },
    { mail: "nine@example.com" },
  ]);
  expect(await merge({ mode: "by_position" })).toMatchObject([{ id: 1, name: "G" }, { id: 2 }, {}]);
  expect(await merge({ mode: "all_pairs" })).toHaveLength(9);
  expect(await merge({ mode: "append" })).toHaveLength(6);
  const many = Array.from({ length: 200 }, () => 1);
  const run = await deployAndRun(owner, [
    { id: "m", type: "merge", config: { mode: "all_pairs", lists: [many, many] } },
  ]);
  expect(run.error).toMatchObject({ code: "too_many_items" });
});

test("all pages are read, never from another origin; an error status can be data", async () => {
  receiver.answer = ({ path, headers }, response) => {
    const url = new URL(path, receiver.url);
    const page = Number(url.searchParams.get("page") ?? 1);
    if (url.pathname === "/missing")
      return void response.writeHead(404, json).end('{"why":"gone"}');
    const next = page < 3 ? `${url.pathname}?page=${page + 1}` : null;
    if (url.pathname === "/many")
      return void response.writeHead(200, json).end(`{"items":[${"0,".repeat(300_000)}0]}`);
    const away = url.pathname === "/away" ? "https://evil.example/steal" : next;
    expect(headers["authorization"]).toBe("Bearer t");
    response.writeHead(200, json).end(JSON.stringify({ items: [page, page * 10], next: away }));
  };
  const get = (path: string, config: object) => ({
    id: "get",
    type: "http",
    config: {
      method: "POST",
      url: receiver.url + path,
      body: {},
      headers: { Authorization: "Bearer t" },
      ...config,
    },
  });
  const byAddress = { nextPage: "response.body.next", pageItems: "response.body.items" };
  const all = await deployAndRun(owner, [get("/list", byAddress)]);
  expect(all.output).toMatchObject({ status: 200, body: [1, 10, 2, 20, 3, 30], pages: 3 });
  const byQuery = { ...byAddress, nextPage: "page < 2 ? { 'query': { 'page': page + 1 } }" };
  expect((await deployAndRun(owner, [get("/list", byQuery)])).output).toMatchObject({
    body: [1, 10, 2, 20],
  });
  const few = await deployAndRun(owner, [get("/list", { ...byAddress, maxPages: 2 })]);
  expect(stepsOf(few)["get"]).toMatchObject({ output: { pages: 2 }, logs: [{ level: "warn" }] });
  const many = await deployAndRun(
    owner,
    [
      get("/many", { ...byAddress, failOn: [] }),
      { id: "count", type: "transform", config: { expression: "$count(steps.get.output.body)" } },
    ],
    { edges: [{ from: "get", to: "count" }] },
  );
  expect(many.output).toBe(300_001);
  const away = await deployAndRun(owner, [get("/away", byAddress)]);
  expect(away.error).toMatchObject({ code: "page_elsewhere" });
  const missing = await deployAndRun(owner, [get("/missing", { failOn: ["5xx", "401"] })]);
  expect(missing.output).toMatchObject({ status: 404, body: { why: "gone" } });
});

test("a detached workflow runs independently", async () => {
  const child = await deployWorkflow(owner, [
    { id: "d", type: "delay", config: { ms: 3_600_000 } },
  ]);
  const run = await deployAndRun(owner, [
    { id: "start", type: "subworkflow", config: { workflowId: child, wait: false } },
  ]);
  const { runId } = run.output;
  await waitForRun(owner, runId, ["waiting"]);
  expect(run.status).toBe("completed");
  expect(stepsOf(run)["start"].childRunId).toBe(runId);
  world.clock.advance(3_600_000);
  expect(await waitForRun(owner, runId)).toMatchObject({ status: "completed" });
});

test("records are upserted by a key and queried with SQL", async () => {
  const { status } = await owner("POST /api/v1/tables", {
    name: "Goods",
    slug: "goods",
    columns: [
      { name: "number", type: "text", unique: true },
      { name: "stock", type: "integer" },
    ],
  });
  expect(status).toBe(201);
  const nodes = [
    {
      id: "put",
      type: "records",
      config: {
        operation: "upsert",
        table: "goods",
        key: "number",
        records: "{{ trigger.input }}",
      },
    },
    {
      id: "ask",
      type: "records",
      config: {
        operation: "query",
        sql: "select sum(stock)::int as total from goods where stock > $1",
        parameters: [1],
      },
    },
  ];
  const id = await deployWorkflow(owner, nodes);
  const first = await runWorkflow(owner, id, [
    { number: "a", stock: 1 },
    { number: "b", stock: 5 },
  ]);
  expect(first).toMatchObject({ error: null, output: [{ total: 5 }] });
  const second = await runWorkflow(owner, id, { number: "a", stock: 4 });
  expect(stepsOf(second)["put"].output).toMatchObject({ created: 0, updated: 1 });
  expect(second.output).toEqual([{ total: 9 }]);
});
