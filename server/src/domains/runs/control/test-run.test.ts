import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, readEventTypes, stepsOf, createToken } from "../testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

const NODES = [
  {
    id: "call",
    type: "http",
    config: { url: "https://127.0.0.1:9/nobody" },
    retry: { maxAttempts: 3 },
  },
  { id: "ask", type: "approval", config: { approvers: ["owner"] } },
  { id: "sleep", type: "delay", config: { ms: 60_000 } },
  {
    id: "show",
    type: "set",
    config: { values: { said: "{{ steps.call.output.body }}", in: "{{ trigger.input.n }}" } },
  },
];
const tried = (id: string, body: object = {}) => owner(`POST /api/v1/workflows/${id}/test`, body);

test("a test run has no effects outside, uses mocks, and returns the trace", async () => {
  const id = await deployWorkflow(owner, NODES, { maxConcurrency: 1 });
  const { status, body, events } = await tried(id, {
    input: { n: 5 },
    mocks: { call: { body: "mocked" }, ask: { approved: true } },
  });
  expect({ status, events }).toEqual({ status: 200, events: ["workflow.run_tested"] });
  expect(body.data).toMatchObject({
    status: "completed",
    test: true,
    triggerType: "test",
    output: { said: "mocked", in: 5 },
  });
  expect(stepsOf(body.data)).toMatchObject({
    call: { status: "completed", output: { body: "mocked" }, logs: [{ level: "info" }] },
    ask: { status: "completed", branch: "approved" },
    sleep: { status: "completed" },
  });
  const kept = await owner(`GET /api/v1/runs/${body.data.id}`);
  expect(kept.body.data).toMatchObject({ test: true, output: { said: "mocked" } });
  expect(kept.body.data.trace).toEqual(body.data.trace);
  expect(await readEventTypes(world, body.data.id)).toEqual(["workflow.run_tested"]);
  expect(await owner(`POST /api/v1/runs/${body.data.id}/retry`, { from: "start" })).toMatchObject({
    status: 409,
    body: { code: "test_run" },
    events: [],
  });
});

test("a failure in a test run is returned at once without retries, and starts no error workflow", async () => {
  const hears = await deployWorkflow(owner, [{ id: "note", type: "set", config: { values: {} } }]);
  const bad = {
    id: "bad",
    type: "transform",
    config: { expression: "$number('x')" },
    retry: { maxAttempts: 5 },
  };
  const id = await deployWorkflow(owner, [bad], { errorWorkflowId: hears });
  const { body, events } = await tried(id);
  expect(events).toEqual(["workflow.run_tested"]);
  expect(body.data).toMatchObject({ status: "failed", error: { path: "bad" } });
  const heard = await owner(`GET /api/v1/workflows/${hears}/runs`);
  expect(heard.body.data).toEqual([]);
});

test("a test run uses the deployed definition, a named version, or an unsaved definition", async () => {
  const id = await deployWorkflow(owner, [
    { id: "one", type: "set", config: { values: { v: 1 } } },
  ]);
  const first = (await owner(`GET /api/v1/workflows/${id}/versions`)).body.data[0].id;
  await owner(`PATCH /api/v1/workflows/${id}`, {
    nodes: [{ id: "one", type: "set", config: { values: { v: 2 } } }],
  });
  expect((await tried(id)).body.data).toMatchObject({ output: { v: 2 } });
  expect((await tried(id, { versionId: first })).body.data).toMatchObject({
    version: 1,
    output: { v: 1 },
  });
  const definition = {
    name: "Unsaved",
    trigger: { type: "event_bus", topic: "orders" },
    nodes: [{ id: "three", type: "transform", config: { expression: "trigger.event.data.n" } }],
    edges: [],
  };
  const unsaved = await tried(id, { definition, event: { data: { n: 3 } } });
  expect(unsaved.body.data).toMatchObject({ output: 3 });
  const kept = await owner(`GET /api/v1/runs/${unsaved.body.data.id}`);
  expect(stepsOf(kept.body.data)).toMatchObject({
    three: { type: "transform", status: "completed" },
  });
  const faulty = { ...definition, nodes: [{ id: "x", type: "no such" }] };
  expect(await tried(id, { definition: faulty })).toMatchObject({
    status: 422,
    body: { errors: [{ path: expect.stringMatching(/^\/definition\/nodes\/0/) }] },
    events: [],
  });
  expect(await tried(id, { versionId: first, definition })).toMatchObject({ status: 422 });
  expect(await tried(id, { mocks: { nobody: 1 } })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/mocks/nobody" }] },
  });
});

test("a test run without mocks uses the pinned data", async () => {
  const id = await deployWorkflow(owner, NODES);
  const route = `/api/v1/workflows/${id}/pinned-data`;
  const before = await owner(`GET ${route}`);
  expect(before.body.data).toEqual({ workflowId: id, outputs: {} });
  const pinned = { call: { body: "pinned" } };
  const set = await owner(`PUT ${route}`, pinned, { "if-match": before.headers["etag"] ?? "" });
  expect(set).toMatchObject({
    status: 200,
    body: { data: { outputs: pinned } },
    events: ["workflow.pinned_data_set"],
  });
  expect((await owner(`GET ${route}`)).body.data.outputs).toEqual(pinned);
  expect((await tried(id)).body.data.output.said).toBe("pinned");
  const own = await tried(id, { mocks: { call: { body: "own" } } });
  expect(own.body.data.output.said).toBe("own");
  expect(
    await owner(`PUT ${route}`, {}, { "if-match": before.headers["etag"] ?? "" }),
  ).toMatchObject({
    status: 412,
    events: [],
  });
  expect(await owner(`PUT ${route}`, { nobody: 1 })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/nobody" }] },
    events: [],
  });
});

test("only users who can edit workflows can test an unsaved definition", async () => {
  const id = await deployWorkflow(owner, NODES);
  const robot = await createToken(world, owner, ["workflows:trigger"]);
  const definition = {
    name: "Mine",
    trigger: { type: "manual" },
    nodes: [{ id: "one", type: "set", config: { values: {} } }],
    edges: [],
  };
  const route = `POST /api/v1/workflows/${id}/test`;
  expect(await robot(route, { definition })).toMatchObject({
    status: 403,
    body: { code: "forbidden" },
    events: [],
  });
  expect(await robot(route, {})).toMatchObject({ status: 200, events: ["workflow.run_tested"] });
  const author = await createToken(world, owner, ["workflows:trigger", "workflows:write"]);
  expect(await author(route, { definition })).toMatchObject({
    status: 200,
    events: ["workflow.run_tested"],
  });
});

test("a mocked switch takes the branch of its case, or the default branch", async () => {
  const said = (id: string) => ({ id, type: "set", config: { values: {} } });
  const id = await deployWorkflow(
    owner,
    [
      { id: "which", type: "switch", config: { expression: "trigger.input", cases: ["a", 2] } },
      ...["first", "second", "other"].map(said),
    ],
    {
      edges: [
        { from: "which", to: "first", when: "a" },
        { from: "which", to: "second", when: "2" },
        { from: "which", to: "other", when: "default" },
      ],
    },
  );
  const taken = async (which: unknown) => {
    const { body } = await tried(id, { mocks: { which } });
    const steps = body.data.trace.steps as { id: string; status: string }[];
    return steps.filter(({ status }) => status === "completed").map((step) => step.id);
  };
  expect(await taken("a")).toEqual(["which", "first"]);
  expect(await taken(2)).toEqual(["which", "second"]);
  expect(await taken("b")).toEqual(["which", "other"]);
  expect(await taken(null)).toEqual(["which", "other"]);
});

const LOOP = {
  id: "each",
  type: "loop",
  config: {
    items: "{{ trigger.input.lines }}",
    as: "line",
    body: {
      nodes: [
        { id: "up", type: "transform", config: { expression: "$uppercase(line)" } },
        {
          id: "call",
          type: "http",
          config: {
            url: "https://127.0.0.1:9/{{ steps.up.output }}",
            headers: { key: "{{ secrets.TEST_RUN_KEY }}" },
          },
        },
      ],
      edges: [{ from: "up", to: "call" }],
    },
  },
};

test("tests a single step with run data, pins, mocks, and a loop item", async () => {
  await owner("POST /api/v1/secrets", { name: "TEST_RUN_KEY", value: "never-shown-here" });
  const id = await deployWorkflow(owner, [LOOP]);
  const whole = await tried(id, { input: { lines: ["a", "b"] } });
  expect(stepsOf(whole.body.data)["each[1].call"]).toMatchObject({
    input: { url: "https://127.0.0.1:9/B", headers: { key: "[secret TEST_RUN_KEY]" } },
    output: null,
  });
  const alone = async (body: object) => {
    const { status, events, body: answer } = await tried(id, body);
    expect({ status, events }).toEqual({ status: 200, events: ["workflow.run_tested"] });
    expect(answer.data.trace.total).toBe(1);
    return answer.data.trace.steps[0];
  };
  const runId = whole.body.data.id;
  expect(await alone({ only: "each[1].call", runId })).toMatchObject({
    id: "call",
    input: { url: "https://127.0.0.1:9/B" },
  });
  expect(await alone({ only: "each.up", item: "x" })).toMatchObject({ output: "X" });
  expect(await alone({ only: "each/up", runId })).toMatchObject({ output: "A" });
  const mocks = { "each.up": "M", "each.call": { status: 204 } };
  expect(await alone({ only: "each.call", mocks })).toMatchObject({
    input: { url: "https://127.0.0.1:9/M" },
    output: { status: 204 },
  });
  const mockErrors = { "each.call": { message: "No.", code: "http_status", status: 503 } };
  expect(await alone({ only: "each.call", mocks, mockErrors })).toMatchObject({
    status: "failed",
    error: { code: "http_status", message: "No.", status: 503 },
  });
  const unsaved = { name: "x", trigger: { type: "manual" }, edges: [] };
  const nodes = [{ id: "sum", type: "transform", config: { expression: "steps.sum.output" } }];
  expect(await alone({ only: "sum", definition: { ...unsaved, nodes } })).toMatchObject({
    output: null,
  });
  const kept = await world.sql("select test from runs where test ? 'given'");
  expect(kept).toEqual([]);
});

test("a mocked error takes the error branch", async () => {
  const nodes = [
    { id: "call", type: "http", config: { url: "https://127.0.0.1:9/" }, onError: "branch" },
    { id: "sorry", type: "set", config: { values: { said: "{{ steps.call.error.message }}" } } },
  ];
  const edges = [{ from: "call", to: "sorry", when: "error" }];
  const id = await deployWorkflow(owner, nodes, { edges });
  const { body } = await tried(id, { mockErrors: { call: { message: "Out of paper" } } });
  expect(body.data).toMatchObject({ status: "completed", output: { said: "Out of paper" } });
});

test("a test run with unknown names is rejected and stores nothing", async () => {
  const id = await deployWorkflow(owner, [LOOP]);
  const elsewhere = await deployWorkflow(owner, NODES.slice(1, 3));
  const runId = (await tried(elsewhere)).body.data.id;
  const refused: [object, string][] = [
    [{ only: "nobody" }, "/only"],
    [{ only: "each.nobody" }, "/only"],
    [{ only: "each", runId }, "/runId"],
    [{ runId }, "/runId"],
    [{ item: 1 }, "/item"],
    [{ mockErrors: { nobody: { message: "x" } } }, "/mockErrors/nobody"],
    [{ mocks: { "each.nobody": 1 } }, "/mocks/each.nobody"],
  ];
  for (const [body, path] of refused) {
    const answer = await tried(id, body);
    expect([answer.status, answer.body.errors[0].path, answer.events]).toEqual([422, path, []]);
  }
  const foreign = "run_01jd0000000000000000000000";
  expect(await tried(id, { only: "each", runId: foreign })).toMatchObject({
    status: 404,
    events: [],
  });
});

test("concurrent pins are both stored, an unpin keeps the others, and sizes are limited", async () => {
  const id = await deployWorkflow(owner, [
    LOOP,
    { id: "after", type: "set", config: { values: {} } },
  ]);
  const at = `/api/v1/workflows/${id}/pinned-data`;
  const other = await world.member(["builder"]);
  const answers = await Promise.all([
    owner(`PUT ${at}/each.up`, { output: "X" }),
    other(`PUT ${at}/each%2Fcall`, { output: { status: 200 } }),
    owner(`PUT ${at}/after`, { output: null }),
  ]);
  expect(answers.map(({ status, events }) => [status, events])).toEqual(
    Array.from({ length: 3 }, () => [200, ["workflow.pinned_data_set"]]),
  );
  const { body, headers } = await owner(`GET ${at}`);
  const outputs = { "each.up": "X", "each.call": { status: 200 }, after: null };
  expect(body.data.outputs).toEqual(outputs);
  const stale = await owner(`PUT ${at}/after`, { output: 1 }, { "if-match": '"1"' });
  expect([stale.status, stale.events]).toEqual([412, []]);
  const fresh = { "if-match": headers["etag"] ?? "" };
  expect((await owner(`PUT ${at}/after`, { output: 1 }, fresh)).status).toBe(200);
  const unpinned = await owner(`DELETE ${at}/each.up`);
  expect(unpinned).toMatchObject({ status: 200, events: ["workflow.pinned_data_set"] });
  expect(unpinned.body.data.outputs).toEqual({ "each.call": { status: 200 }, after: 1 });
  expect(await owner(`DELETE ${at}/each.up`)).toMatchObject({ status: 200, events: [] });
  expect((await owner(`PUT ${at}/nobody`, { output: 1 })).body.errors).toEqual([
    { path: "/nobody", message: "is not a node of the workflow" },
  ]);
  expect(await owner(`PUT ${at}/after`, {})).toMatchObject({ status: 422, events: [] });
  const large = "x".repeat(900_000);
  for (const key of ["each", "each.up", "each.call", "up"]) {
    await owner(`PUT ${at}/${key}`, { output: large });
  }
  expect(await owner(`PUT ${at}/call`, { output: large })).toMatchObject({
    status: 409,
    body: { code: "too_much_pinned" },
    events: [],
  });
  expect((await (await world.member(["viewer"]))(`PUT ${at}/after`, { output: 1 })).status).toBe(
    403,
  );
});
