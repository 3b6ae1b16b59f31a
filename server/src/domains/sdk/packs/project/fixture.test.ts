import { expect, test } from "vitest";
import { deployWorkflow, runWorkflow } from "#domains/runs/testing/workflows.ts";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { type Ask, useFixture, useWorld } from "#kernel/testing/world.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const { body: connector } = await owner("POST /api/v1/connectors", {
  name: "Shop",
  type: "http",
  config: { baseUrl: receiver.url },
});
const NODES = [
  { id: "large", type: "condition", config: { expression: "trigger.input.total > 100" } },
  {
    id: "call",
    type: "connector",
    config: {
      connectorId: connector.data.id,
      action: "request",
      input: { method: "POST", path: "/orders", body: { total: "{{ trigger.input.total }}" } },
    },
  },
  { id: "sum", type: "transform", config: { expression: "trigger.input.total * 2" } },
] as const;
const EDGES = [
  { from: "large", to: "call", when: "true" },
  { from: "call", to: "sum" },
];
const definitionOf = (nodes: readonly object[]) => ({
  name: "Orders",
  trigger: { type: "manual" },
  nodes,
  edges: EDGES,
});
const workflowId = await deployWorkflow(owner, NODES, { name: "Orders", edges: EDGES });
const run = await runWorkflow(owner, workflowId, { total: 500 });
const { body: recorded, ...reading } = await owner(`GET /api/v1/code/fixture?runId=${run.id}`);
const fixture = recorded.data;
const withConfig = (id: string, config: object) =>
  NODES.map((node) => (node.id === id ? { ...node, config } : node));
const tryOut = (nodes: readonly object[], more: object = {}, ask: Ask = owner) =>
  ask("POST /api/v1/code/test-workflow", {
    definition: definitionOf(nodes),
    fixtures: [fixture],
    ...more,
  });

test("records a run with names instead of ids; its own definition gives the same result without external calls", async () => {
  expect([reading.status, reading.events]).toEqual([200, []]);
  expect(fixture).toMatchObject({ workflow: "Orders", status: "completed" });
  expect(Object.keys(fixture.steps)).toEqual(["large", "call", "sum"]);
  expect(JSON.stringify(fixture)).not.toContain(connector.data.id);
  expect(fixture.definition.nodes[1].config.connectorId).toBe("pack:connectors/Shop");
  const before = receiver.received.length;
  const named = NODES.map((node) =>
    node.id === "call"
      ? { ...node, config: { ...node.config, connectorId: "pack:connectors/Shop" } }
      : node,
  );
  for (const nodes of [NODES, named]) {
    const answer = await tryOut(nodes);
    expect(answer).toMatchObject({ status: 200, events: [] });
    expect(answer.body.data.results).toEqual([
      { verdict: "same", status: "completed", output: 1000, difference: null, steps: {} },
    ]);
  }
  expect(receiver.received.length).toBe(before);
  // Another workspace has neither the connector nor the run.
  const other = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await tryOut(named, {}, other)).body.data.results[0].verdict).toBe("same");
});

test.each([
  [
    "another way",
    withConfig("large", { expression: "false" }),
    { verdict: "other_branch", status: "completed" },
  ],
  [
    "another output",
    withConfig("sum", { expression: "trigger.input.total * 3" }),
    {
      verdict: "other_output",
      output: 1500,
      difference: { stepId: "sum", before: 1000, after: 1500 },
    },
  ],
  [
    "another connector",
    withConfig("call", { ...NODES[1].config, connectorId: "pack:connectors/Other" }),
    {
      verdict: "other_output",
      difference: {
        stepId: "call",
        kind: "input",
        before: "pack:connectors/Shop",
        after: "pack:connectors/Other",
      },
    },
  ],
  [
    "a failure",
    withConfig("sum", { expression: "$number('x')" }),
    { verdict: "would_fail", status: "failed" },
  ],
])("reports %s with the step and both values", async (_name, nodes, result) => {
  expect((await tryOut(nodes)).body.data.results).toMatchObject([result]);
});

test("reports expected steps with their simulated output, and rejects unknown ones", async () => {
  const expecting = (steps: object) => ({ fixtures: [{ ...fixture, expect: { steps } }] });
  const tripled = withConfig("sum", { expression: "trigger.input.total * 3" });
  const both = expecting({ sum: { output: 1000 }, large: { branch: "true" } });
  const { body } = await tryOut(tripled, both);
  expect(body.data.results[0].steps).toEqual({
    sum: { status: "completed", output: 1500, branch: null },
    large: { status: "completed", output: expect.anything(), branch: "true" },
  });
  // Steps on an untaken branch are not reached.
  const around = await tryOut(withConfig("large", { expression: "false" }), both);
  expect(around.body.data.results[0].steps).toMatchObject({
    sum: { status: "skipped", output: null },
    large: { status: "completed", branch: "false" },
  });
  const named = await tryOut(NODES, expecting({ call: { output: {} } }));
  expect(JSON.stringify(named.body.data)).not.toContain(connector.data.id);
  const unknown = await tryOut(NODES, expecting({ nothing: { output: 1 } }));
  expect([unknown.status, unknown.body.errors]).toEqual([
    422,
    [{ path: "/fixtures/0/expect/steps/nothing", message: "is not a step of this workflow" }],
  ]);
  for (const wrong of [{ sum: {} }, { sum: { value: 1 } }, { sum: 1_000 }]) {
    expect((await tryOut(NODES, expecting(wrong))).status).toBe(422);
  }
});

test("rejects an invalid definition with paths, and a missing fixture", async () => {
  const faulty = await tryOut([{ id: "a", type: "teleport" }]);
  expect([faulty.status, faulty.body.errors[0].path]).toEqual([422, "/definition/nodes/0/type"]);
  const odd = { ...fixture, definition: { nodes: 7 }, steps: { call: { status: "completed" } } };
  const answer = await tryOut(NODES, { fixtures: [odd] });
  expect([answer.status, answer.body.data.results[0].status]).toEqual([200, "completed"]);
  expect((await tryOut(NODES, { fixtures: [{ ...fixture, status: "odd" }] })).status).toBe(422);
  const unknown = await owner("GET /api/v1/code/fixture?runId=run_01jd0000000000000000000000");
  expect(unknown.status).toBe(404);
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Flows alone",
    permissions: ["workflows:read"],
  });
  const reader = await world.member([role.data.id]);
  expect((await reader(`GET /api/v1/code/fixture?runId=${run.id}`)).status).toBe(403);
  expect((await tryOut(NODES, {}, reader)).status).toBe(403);
});

test("tests and rehearsals read with the author's permissions instead of the deployer's permissions", async () => {
  await owner("POST /api/v1/variables", { name: "HOST", value: "planted" });
  const nodes = [{ id: "sum", type: "transform", config: { expression: "variables.HOST" } }];
  const definition = { ...definitionOf(nodes), edges: [] };
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "No variables",
    permissions: ["workflows:read", "workflows:write", "workflows:trigger", "traces:read"],
  });
  const { body: token } = await owner("POST /api/v1/auth/tokens", {
    name: "Flows",
    expiresIn: "1d",
    scopes: role.data.permissions,
  });
  const confined = world.asToken(token.data.token, "default");
  const askers = [owner, confined, await world.member([role.data.id])];
  const seen = await Promise.all(
    askers.map(async (ask) => {
      const tested = await tryOut([], { definition }, ask);
      const rehearsed = await ask(`POST /api/v1/workflows/${workflowId}/rehearse`, { definition });
      expect([tested.status, rehearsed.status]).toEqual([200, 200]);
      return [tested, rehearsed].map(({ body }) => JSON.stringify(body).includes("planted"));
    }),
  );
  expect(seen).toEqual([
    [true, true],
    [false, false],
    [false, false],
  ]);
});

test("runs an unsaved artifact with test cases and mocks", async () => {
  const ask = (scriptSource: string) =>
    owner("POST /api/v1/code/test-artifact", {
      artifact: {
        key: "double",
        name: "double",
        artifactType: "workflow_node",
        detail: { scriptSource },
      },
      cases: [
        { name: "doubles", inputPayload: { n: 2 }, expected: { n: 4 } },
        {
          name: "asks",
          inputPayload: { n: 0 },
          expected: { n: 7 },
          mocks: { "http.request": [{ returns: { status: 200, headers: {}, body: 7 } }] },
        },
      ],
    });
  const source =
    "return { n: input.n * 2 || (await context.http.request({ url: 'https://example.com' })).body };";
  const answer = await ask(source);
  expect([answer.status, answer.events]).toEqual([200, []]);
  expect(answer.body.data.results.map(({ passed }: any) => passed)).toEqual([true, true]);
  const wrong = await ask("return { n: 4 };");
  expect(wrong.body.data.results[1]).toMatchObject({
    passed: false,
    diff: [{ path: "/n", expected: 7, actual: 4 }],
  });
  const faulty = await ask("return {");
  expect([faulty.status, faulty.body.errors[0].path]).toEqual([422, "/detail/scriptSource"]);
});
