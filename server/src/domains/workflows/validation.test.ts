import { expect, test } from "vitest";
import { exampleDefinition, createTestWorkflow, startWorkflowWorld } from "./testing/world.ts";
import { useFixture } from "#kernel/testing/world.ts";

const world = await useFixture(startWorkflowWorld());
const owner = await world.member(["owner"]);
await owner("POST /api/v1/secrets", { name: "KNOWN", value: "a value" });

const set = (id: string, values: object = {}) => ({ id, type: "set", config: { values } });
const loop = (id: string, nodes: unknown[], edges: unknown[] = []) => ({
  id,
  type: "loop",
  config: { items: [1], body: { nodes, edges } },
});
const UNKNOWN_WORKFLOW = "wf_00000000000000000000000000";

const FAULTY: [name: string, fields: object, paths: string[]][] = [
  ["a name that is empty", { name: "" }, ["/name"]],
  ["a field that is not known", { nodez: [] }, ["/nodez"]],
  ["a limit out of bounds", { maxConcurrency: 0 }, ["/maxConcurrency"]],
  ["a trigger that is not known", { trigger: { type: "moon" } }, ["/trigger/type"]],
  ["a trigger without its field", { trigger: { type: "event_bus" } }, ["/trigger/topic"]],
  [
    "a field of another trigger",
    { trigger: { type: "manual", cron: "* * * * *" } },
    ["/trigger/cron"],
  ],
  [
    "an event type and a filter that are none",
    {
      trigger: {
        type: "event_bus",
        topic: "t",
        eventType: "a b",
        filter: { "data.x": { like: 1 } },
      },
    },
    ["/trigger/eventType", "/trigger/filter/data.x/like"],
  ],
  [
    "a schedule that is none",
    { trigger: { type: "schedule", cron: "61 * * * *", timezone: "Moon/Base" } },
    ["/trigger/timezone", "/trigger/cron"],
  ],
  [
    "a secret that would be kept",
    {
      nodes: [
        {
          id: "a",
          type: "publish_event",
          config: {
            topic: "t",
            type: "x",
            payload: { by: "{{ secrets.KNOWN }}", all: "{{ secrets.* }}", of: "{{ run.id }}" },
          },
        },
      ],
      edges: [],
    },
    ["/nodes/0/config/payload/by", "/nodes/0/config/payload/all", "/nodes/0/config/payload/all"],
  ],
  ["a node that is none", { nodes: [7], edges: [] }, ["/nodes/0"]],
  ["a node without id and type", { nodes: [{}], edges: [] }, ["/nodes/0/id", "/nodes/0/type"]],
  ["an id in the wrong form", { nodes: [set("1st")], edges: [] }, ["/nodes/0/id"]],
  ["an id that is there twice", { nodes: [set("a"), set("a")], edges: [] }, ["/nodes/1/id"]],
  [
    "a type that is not known",
    { nodes: [{ id: "a", type: "teleport" }], edges: [] },
    ["/nodes/0/type"],
  ],
  [
    "a configuration that does not fit",
    { nodes: [{ id: "a", type: "delay", config: { ms: "soon", s: 1 } }], edges: [] },
    ["/nodes/0/config/ms", "/nodes/0/config/s"],
  ],
  [
    "a retry out of bounds",
    { nodes: [{ ...set("a"), retry: { maxAttempts: 0 } }], edges: [] },
    ["/nodes/0/retry/maxAttempts"],
  ],
  [
    "edges that join nothing",
    {
      nodes: [set("a")],
      edges: [
        { from: "a", to: "b" },
        { from: "c", to: "a" },
      ],
    },
    ["/edges/0/to", "/edges/1/from"],
  ],
  [
    "an edge that is there twice",
    {
      nodes: [set("a"), set("b")],
      edges: [
        { from: "a", to: "b" },
        { from: "a", to: "b" },
      ],
    },
    ["/edges/1"],
  ],
  [
    "a cycle",
    {
      nodes: [set("a"), set("b")],
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ],
    },
    ["/edges/1"],
  ],
  [
    "a branch that the node does not have",
    {
      nodes: [{ id: "a", type: "condition", config: { expression: "true" } }, set("b")],
      edges: [{ from: "a", to: "b", when: "maybe" }],
    },
    ["/edges/0/when"],
  ],
  [
    "an error branch without onError",
    { nodes: [set("a"), set("b")], edges: [{ from: "a", to: "b", when: "error" }] },
    ["/edges/0/when"],
  ],
  [
    "onError branch without such an edge",
    { nodes: [{ ...set("a"), onError: "branch" }], edges: [] },
    ["/nodes/0/onError"],
  ],
  [
    "a template that does not parse",
    { nodes: [set("a", { deep: [{ x: "{{ 1 + }}" }] })], edges: [] },
    ["/nodes/0/config/values/deep/0/x"],
  ],
  [
    "an expression that does not parse, and a function that does not exist",
    {
      nodes: [
        { id: "a", type: "condition", config: { expression: "1 +" } },
        { id: "b", type: "transform", config: { expression: "$launch()" } },
      ],
      edges: [],
    },
    ["/nodes/0/config/expression", "/nodes/1/config/expression"],
  ],
  ["a concurrency key that does not parse", { concurrencyKey: "{{ ( }}" }, ["/concurrencyKey"]],
  [
    "secrets that do not exist, wherever they are named",
    {
      trigger: { type: "webhook", signature: { secret: "{{secrets.GONE}}" } },
      nodes: [
        set("a", {
          x: "{{ secrets.KNOWN }}",
          "b/c": ["{{ secrets.GONE }} {{ $uppercase(secrets.LOST) }}"],
        }),
        { id: "b", type: "condition", config: { expression: "secrets.GONE = 'x'" } },
        loop("c", [set("d", { y: "{{secrets.GONE}}" })]),
      ],
      edges: [],
      concurrencyKey: "{{ secrets.GONE }}",
    },
    [
      "/trigger/signature/secret",
      "/concurrencyKey",
      "/concurrencyKey",
      "/nodes/0/config/values/b~1c/0",
      "/nodes/0/config/values/b~1c/0",
      "/nodes/1/config/expression",
      "/nodes/2/config/body/nodes/0/config/values/y",
    ],
  ],
  [
    "workflows that do not exist",
    {
      errorWorkflowId: UNKNOWN_WORKFLOW,
      nodes: [{ id: "a", type: "subworkflow", config: { workflowId: UNKNOWN_WORKFLOW } }],
      edges: [],
    },
    ["/errorWorkflowId", "/nodes/0/config/workflowId"],
  ],
  [
    "faults inside of a loop, and one outside",
    {
      nodes: [
        loop(
          "each",
          [set("a"), { id: "each", type: "set" }, { id: "b", type: "nothing" }],
          [{ from: "a", to: "z" }],
        ),
        { id: "late", type: "delay", config: {} },
      ],
      edges: [],
    },
    [
      "/nodes/0/config/body/nodes/1/config/values",
      "/nodes/0/config/body/nodes/1/id",
      "/nodes/0/config/body/nodes/2/type",
      "/nodes/0/config/body/edges/0/to",
      "/nodes/1/config/ms",
    ],
  ],
  [
    "more expressions than can be read",
    {
      nodes: [set("a", { list: Array.from({ length: 2_001 }, (_, n) => `{{ ${n} }}`) })],
      edges: [],
    },
    ["/nodes/0/config/values/list/2000"],
  ],
  [
    "more nodes than there may be",
    { nodes: Array.from({ length: 501 }, (_, n) => set(`n${n}`)), edges: [] },
    ["/nodes"],
  ],
];

test.each(FAULTY)("refused with its path: %s", async (_, fields, paths) => {
  const faulty = exampleDefinition(fields);
  const refused = await owner("POST /api/v1/workflows", faulty);
  expect(refused).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
  const told = refused.body.errors.map(({ path }: { path: string }) => path);
  expect(told.toSorted()).toEqual(paths.toSorted());
  // The dry run reports the same errors in its response.
  const dry = await owner("POST /api/v1/workflows/validate", faulty);
  expect(dry.events).toEqual([]);
  const found = dry.status === 200 ? dry.body.data : { valid: false, errors: dry.body.errors };
  expect(found).toMatchObject({
    valid: false,
    errors: refused.body.errors,
  });
});

test("a partial save is validated together with the unchanged fields", async () => {
  const { id } = await createTestWorkflow(owner);
  const orphaned = await owner(`PATCH /api/v1/workflows/${id}`, { nodes: [set("make")] });
  expect(orphaned).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/edges/0/to" }] },
    events: [],
  });
  expect((await owner(`GET /api/v1/workflows/${id}`)).body.data.nodes).toHaveLength(2);
});

const NOT_DEPLOYED = "calls the workflow Greet, which is not deployed to production";
const UNDEPLOYED = [
  { path: "/errorWorkflowId", message: NOT_DEPLOYED },
  {
    path: "/nodes/3/config/workflowId",
    message: NOT_DEPLOYED,
    stepId: "sub",
    field: "/config/workflowId",
  },
];

test("a definition with all node types is valid", async () => {
  const { id: other } = await createTestWorkflow(owner);
  const whole = exampleDefinition({
    trigger: {
      type: "event_bus",
      topic: "incident",
      eventType: "incident.*",
      filter: { "data.severity": { in: ["high", "critical"] } },
    },
    nodes: [
      { id: "check", type: "condition", config: { expression: "trigger.event.data.priority < 3" } },
      {
        id: "call",
        type: "http",
        config: { method: "GET", url: "https://example.com/{{ run.id }}" },
        retry: { maxAttempts: 3, backoffMs: 10, strategy: "fixed" },
        timeoutMs: 1_000,
        onError: "branch",
      },
      loop("each", [set("inner", { x: "{{ item }}" })]),
      { id: "sub", type: "subworkflow", config: { workflowId: other, input: { a: 1 } } },
      { id: "picked", type: "subworkflow", config: { workflowId: "{{ trigger.event.data.id }}" } },
      { id: "stop", type: "fail", config: { message: "No {{ secrets.KNOWN }}" } },
    ],
    edges: [
      { from: "check", to: "call", when: "true" },
      { from: "check", to: "sub", when: "false" },
      { from: "call", to: "each" },
      { from: "call", to: "stop", when: "error" },
    ],
    maxConcurrency: 2,
    concurrencyKey: "{{ trigger.event.resource.id }}",
    timeoutMs: 60_000,
    errorWorkflowId: other,
  });
  expect((await owner("POST /api/v1/workflows/validate", whole)).body).toEqual({
    data: { valid: true, errors: [], warnings: UNDEPLOYED, productionValues: [] },
  });
  const made = await owner("POST /api/v1/workflows", whole);
  expect(made.status).toBe(201);
  expect(made.body.data).toMatchObject(whole);
});
