import { expect, test } from "vitest";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { chainEdges, createToken, deployWorkflow, runWorkflow } from "../testing/workflows.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const NODES = [
  { id: "large", type: "condition", config: { expression: "trigger.input.total > 100" } },
  {
    id: "call",
    type: "http",
    config: {
      method: "POST",
      url: `${receiver.url}/orders`,
      body: { total: "{{ trigger.input.total }}" },
    },
  },
  { id: "stamp", type: "set", config: { values: { at: "{{ $now() }}", n: "{{ $random() }}" } } },
  { id: "sum", type: "transform", config: { expression: "trigger.input.total * 2" } },
  { id: "small", type: "set", config: { values: { small: true } } },
] as const;
const EDGES = [
  { from: "large", to: "call", when: "true" },
  { from: "call", to: "stamp" },
  { from: "stamp", to: "sum" },
  { from: "large", to: "small", when: "false" },
];
const withNode = (id: string, config: object) =>
  NODES.map((node) => (node.id === id ? { ...node, config } : node));
const definitionOf = (nodes: readonly object[], edges: readonly object[] = EDGES) => ({
  name: "Orders",
  trigger: { type: "manual" },
  nodes,
  edges,
});

const id = await deployWorkflow(owner, NODES, { edges: EDGES });
const runs: string[] = [];
for (const total of [500, 150, 50]) runs.push((await runWorkflow(owner, id, { total })).id);
const rehearse = (body: object, headers: Record<string, string> = {}) =>
  owner(`POST /api/v1/workflows/${id}/rehearse`, body, headers);
const counts = (given: object) => ({
  same: 0,
  otherBranch: 0,
  otherOutput: 0,
  wouldFail: 0,
  needsOutcome: 0,
  ...given,
});

test("the recorded definition gives the same result, also with time and random functions; nothing is called or stored", async () => {
  const before = receiver.received.length;
  const answer = await rehearse({});
  expect(answer).toMatchObject({ status: 200, events: [] });
  expect(answer.body.data).toMatchObject({
    counts: counts({ same: 3 }),
    rehearsed: 3,
    hidden: 0,
    leftOut: 0,
  });
  expect(answer.body.data.runs.map(({ runId }: any) => runId)).toEqual(runs.toReversed());
  expect(receiver.received.length).toBe(before);
  const kept = await owner(`GET /api/v1/workflows/${id}/runs`);
  expect(kept.body.data).toHaveLength(3);
});

test.each([
  [
    "another branch",
    withNode("large", { expression: "trigger.input.total > 200" }),
    counts({ same: 2, otherBranch: 1 }),
    {
      runId: runs[1],
      difference: { stepId: "large", kind: "branch", before: "true", after: "false" },
    },
  ],
  [
    "another output",
    withNode("sum", { expression: "trigger.input.total * 3" }),
    counts({ same: 1, otherOutput: 2 }),
    {
      runId: runs[1],
      difference: { stepId: "sum", kind: "output", path: "", before: 300, after: 450 },
    },
  ],
  [
    "something else is sent",
    withNode("call", { method: "POST", url: `${receiver.url}/orders`, body: { total: 1 } }),
    counts({ same: 1, otherOutput: 2 }),
    {
      runId: runs[0],
      difference: { stepId: "call", kind: "input", path: "/body/total", before: 500, after: 1 },
    },
  ],
  [
    "a failure",
    withNode("sum", { expression: "$number('x')" }),
    counts({ same: 1, wouldFail: 2 }),
    {
      runId: runs[0],
      statusAfter: "failed",
      difference: { stepId: "sum", kind: "status", before: "completed" },
    },
  ],
  [
    "a missing recorded outcome",
    withNode("large", { expression: "trigger.input.total > 10" }),
    counts({ same: 2, needsOutcome: 1 }),
    {
      runId: runs[2],
      statusAfter: null,
      difference: { stepId: "large", kind: "branch", after: "true" },
    },
  ],
])(
  "reports the run, the first different step and both values: %s",
  async (...[, nodes, expected, run]) => {
    const { status, body, events } = await rehearse({ definition: definitionOf(nodes) });
    expect({ status, events }).toEqual({ status: 200, events: [] });
    expect(body.data.counts).toEqual(expected);
    expect(body.data.runs).toContainEqual(
      expect.objectContaining({ ...run, difference: expect.objectContaining(run.difference) }),
    );
  },
);

test("a removed step with effects counts as changed; a removed computing step does not", async () => {
  const nodes = NODES.filter((node) => node.id !== "call");
  const edges = [{ from: "large", to: "stamp", when: "true" }, ...EDGES.slice(2)];
  const { body } = await rehearse({ definition: definitionOf(nodes, edges), runIds: [runs[0]] });
  expect(body.data.runs).toMatchObject([
    { verdict: "other_branch", difference: { stepId: "call", before: "completed", after: null } },
  ]);
  const fewer = NODES.filter((node) => node.id !== "stamp");
  const around = [EDGES[0], { from: "call", to: "sum" }, EDGES[3]] as object[];
  const other = await rehearse({ definition: definitionOf(fewer, around) });
  expect(other.body.data.counts).toEqual(counts({ same: 3 }));
});

test("loops are compared item by item; a failed run is the same if it fails in the same way", async () => {
  const body = {
    nodes: [{ id: "post", type: "http", config: { url: `${receiver.url}/{{ item }}` } }],
    edges: [],
  };
  const loop = { id: "each", type: "loop", config: { items: "{{ trigger.input }}", body } };
  const looped = await deployWorkflow(owner, [loop]);
  await runWorkflow(owner, looped, ["a", "b"]);
  const refused = await deployWorkflow(owner, [
    { id: "bad", type: "fail", config: { message: "No." } },
  ]);
  await runWorkflow(owner, refused);
  for (const workflow of [looped, refused]) {
    const { body: answer } = await owner(`POST /api/v1/workflows/${workflow}/rehearse`);
    expect(answer.data.counts).toEqual(counts({ same: 1 }));
  }
  const mended = { ...definitionOf([{ id: "bad", type: "set", config: { values: {} } }], []) };
  const { body: answer } = await owner(`POST /api/v1/workflows/${refused}/rehearse`, {
    definition: mended,
  });
  expect(answer.data.runs).toMatchObject([
    {
      status: "failed",
      statusAfter: "completed",
      verdict: "other_branch",
      difference: { stepId: "bad" },
    },
  ]);
});

test("a gate passes allowed results, applies to later versions, and can be removed", async () => {
  const change = (times: number) =>
    owner(
      `PUT /api/v1/workflows/${id}`,
      definitionOf(withNode("sum", { expression: `trigger.input.total * ${times}` })),
    );
  const publish = (body: object) => owner(`POST /api/v1/workflows/${id}/publish`, body);
  await change(4);
  const refused = await publish({ requireRehearsal: { allow: [] } });
  expect(refused).toMatchObject({
    status: 409,
    body: { code: "rehearsal_refused", counts: counts({ same: 1, otherOutput: 2 }) },
    events: ["deploy.failed"],
  });
  const allowed = await publish({ requireRehearsal: { allow: ["other_output"], lastRuns: 10 } });
  expect(allowed).toMatchObject({
    status: 200,
    events: ["workflow.published", "deploy.completed"],
  });
  await change(5);
  const preview = await owner(`GET /api/v1/workflows/${id}/publish`);
  expect(preview.body.data.rehearsalGate).toEqual({ allow: ["other_output"], lastRuns: 10 });
  expect((await publish({})).status).toBe(200);
  await owner(
    `PUT /api/v1/workflows/${id}`,
    definitionOf(withNode("sum", { expression: "$number('x')" })),
  );
  expect(await publish({})).toMatchObject({ status: 409, events: ["deploy.failed"] });
  expect((await publish({ requireRehearsal: null })).status).toBe(200);
  const after = await owner(`GET /api/v1/workflows/${id}/publish`);
  expect(after.body.data.rehearsalGate).toBeNull();
});

test("a gate rejects runs that were not rehearsed", async () => {
  const large = await deployWorkflow(owner, [NODES[3]]);
  const { id: runId } = await runWorkflow(owner, large, { total: 1 });
  await world.sql(
    `update runs set trigger = trigger || jsonb_build_object('pad',
       (select string_agg(md5(n::text), '') from generate_series(1, 300000) n)) where id = $1`,
    [runId],
  );
  const { body } = await owner(`POST /api/v1/workflows/${large}/rehearse`);
  expect(body.data).toMatchObject({ rehearsed: 0, leftOut: 1 });
  const publish = (allow: readonly string[]) =>
    owner(`POST /api/v1/workflows/${large}/publish`, { requireRehearsal: { allow } });
  expect(await publish([])).toMatchObject({ status: 409, events: ["deploy.failed"] });
  expect((await publish(["needs_outcome"])).status).toBe(200);
});

test("a large value is shortened, also for a missing outcome", async () => {
  const sum = { id: "sum", type: "transform", config: { expression: "1" } };
  const long = await deployWorkflow(owner, [sum]);
  await runWorkflow(owner, long, { text: "x".repeat(100_000) });
  const call = {
    id: "call",
    type: "http",
    config: { method: "POST", url: receiver.url, body: "{{ trigger.input }}" },
  };
  const { body } = await owner(`POST /api/v1/workflows/${long}/rehearse`, {
    definition: definitionOf([sum, call], [{ from: "sum", to: "call" }]),
  });
  expect(body.data.runs).toMatchObject([{ verdict: "needs_outcome" }]);
  expect(JSON.stringify(body.data).length).toBeLessThan(10_000);
});

test("a rehearsal requires permission to see traces, and an unsaved definition requires more", async () => {
  const token = await createToken(world, owner, ["workflows:trigger"]);
  const hidden = await token(`POST /api/v1/workflows/${id}/rehearse`);
  expect(hidden.body.data).toMatchObject({ rehearsed: 0, hidden: 3, runs: [] });
  const own = await token(`POST /api/v1/workflows/${id}/rehearse`, {
    definition: definitionOf(NODES),
  });
  expect(own.status).toBe(403);
  const stranger = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await stranger(`POST /api/v1/workflows/${id}/rehearse`)).status).toBe(404);
  const deployer = await createToken(world, owner, ["deployments:create"]);
  const gated = await deployer(`POST /api/v1/workflows/${id}/publish`, {
    requireRehearsal: { allow: ["would_fail"] },
  });
  expect(gated).toMatchObject({ status: 409, body: { code: "rehearsal_refused" } });
});

test.each([
  [{ lastRuns: 501 }, "/lastRuns"],
  [{ lastRuns: 5, runIds: [runs[0]] }, "/runIds"],
  [{ runIds: ["run_01jd0000000000000000000000"] }, "/runIds/0"],
  [
    { definition: definitionOf([{ id: "x", type: "nothing", config: {} }], []) },
    "/definition/nodes/0/type",
  ],
])("%j is refused at %s", async (body, path) => {
  expect(await rehearse(body)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
});

test("a backtest lists past events that match a trigger, for each environment separately", async () => {
  for (const [index, body] of ["even", "odd", "even"].entries()) {
    await owner("POST /api/v1/notes", { title: `Note ${index}`, body });
  }
  const definition = {
    ...definitionOf([], []),
    trigger: {
      type: "event_bus",
      topic: "note",
      eventType: "note.created",
      filter: { "data.body": "even" },
    },
  };
  const backtest = (body: object, headers: Record<string, string> = {}) =>
    owner(`POST /api/v1/workflows/${id}/backtest`, body, headers);
  const { body, status, events } = await backtest({ definition, limit: 1 });
  expect({ status, events }).toEqual({ status: 200, events: [] });
  expect(body.data).toMatchObject({
    matched: 2,
    truncated: false,
    events: [{ type: "note.created" }],
  });
  const staged = await backtest({ definition }, { "x-environment": "staging" });
  expect(staged.body.data).toMatchObject({ matched: 0, events: [] });
  expect(await backtest({})).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/definition/trigger", message: "is not an event trigger" }] },
  });
});

test("a chain of twelve steps is rehearsed with a hundred runs", async () => {
  const nodes = Array.from({ length: 12 }, (_, index) =>
    index % 3 === 0
      ? { id: `s${index}`, type: "condition", config: { expression: "trigger.input.n >= 0" } }
      : {
          id: `s${index}`,
          type: "set",
          config: { values: { n: "{{ trigger.input.n }}", at: index } },
        },
  );
  const edges = chainEdges(nodes);
  const chain = await deployWorkflow(owner, nodes, { edges });
  for (let n = 0; n < 100; n += 1)
    await owner(`POST /api/v1/workflows/${chain}/trigger`, { input: { n } });
  const { body } = await owner(`POST /api/v1/workflows/${chain}/rehearse`, {
    definition: {
      ...definitionOf(nodes, edges),
      nodes: [
        ...nodes.slice(0, 11),
        { id: "s11", type: "set", config: { values: { n: "{{ trigger.input.n % 2 }}", at: 11 } } },
      ],
    },
  });
  expect(body.data.counts).toEqual(counts({ same: 2, otherOutput: 98 }));
});
