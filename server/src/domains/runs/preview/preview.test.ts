import { beforeAll, describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { createToken, deployWorkflow, trigger, waitForRun } from "../testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const PREVIEW = "POST /api/v1/expressions/preview";
const SCOPE = "POST /api/v1/expressions/scope";

const NODES = [
  { id: "read", type: "set", name: "Read", config: { values: { total: 40, lines: ["a", "b"] } } },
  {
    id: "each",
    type: "loop",
    config: {
      items: "{{ steps.read.output.lines }}",
      as: "line",
      body: {
        nodes: [
          { id: "up", type: "transform", config: { expression: "$uppercase(line)" } },
          { id: "call", type: "set", config: { values: { text: "{{ steps.up.output }}" } } },
        ],
        edges: [{ from: "up", to: "call" }],
      },
    },
  },
  { id: "last", type: "set", config: { values: {} } },
];
let id = "";
let runId = "";

beforeAll(async () => {
  id = await deployWorkflow(owner, NODES);
  const { body } = await trigger(owner, id, { who: "Ada", secretNumber: 7 });
  runId = (await waitForRun(owner, body.data.runId)).id;
});

const preview = async (texts: object[], place: object = {}) => {
  const { body, status, events } = await owner(PREVIEW, { texts, ...place });
  expect([status, events]).toEqual([200, []]);
  return body.data.previews;
};

describe("a preview", () => {
  test("returns values, types and lengths of expressions, templates and JSON for given values", async () => {
    const values = { trigger: { input: { id: 4711, names: ["a", "b"] } } };
    const texts = [
      { expression: "trigger.input.id + 1" },
      { expression: " {{ trigger.input.names }} " },
      { template: "Order {{ trigger.input.id }} of {{ workspace.slug }}" },
      { template: { order: "{{ trigger.input.id }}", to: ["{{ trigger.input.names[1] }}"] } },
      { expression: "trigger.input.nobody" },
      { template: null },
      { expression: "environment" },
    ];
    expect(await preview(texts, { values })).toEqual([
      { ok: true, type: "number", value: 4712, truncated: false },
      { ok: true, type: "array", value: ["a", "b"], length: 2, truncated: false },
      { ok: true, type: "string", value: "Order 4711 of default", length: 21, truncated: false },
      { ok: true, type: "object", value: { order: 4711, to: ["b"] }, truncated: false },
      { ok: true, type: "nothing" },
      { ok: true, type: "null", value: null, truncated: false },
      { ok: true, type: "string", value: "production", length: 10, truncated: false },
    ]);
  });

  test("uses what a step of a run saw, in any iteration, or with a given item", async () => {
    const texts = [{ expression: "[line, index, steps.up.output, steps.read.output.total]" }];
    const at = { workflowId: id, runId };
    expect((await preview(texts, { ...at, stepId: "each[1].call" }))[0].value).toEqual([
      "b",
      1,
      "B",
      40,
    ]);
    expect((await preview(texts, { ...at, stepId: "each/call" }))[0].value).toEqual([
      "a",
      0,
      "A",
      40,
    ]);
    const own = await preview([{ expression: "line" }], {
      ...at,
      stepId: "each.up",
      item: { x: 1 },
    });
    expect(own[0].value).toEqual({ x: 1 });
    const ran = await preview([{ expression: "[trigger.input.who, run.id]" }], at);
    expect(ran[0].value).toEqual(["Ada", runId]);
  });

  test("uses pinned outputs if no run is given, also for steps in a loop", async () => {
    const pin = (key: string, output: unknown) =>
      owner(`PUT /api/v1/workflows/${id}/pinned-data/${key}`, { output });
    expect(await pin("read", { total: 1 })).toMatchObject({
      status: 200,
      events: ["workflow.pinned_data_set"],
    });
    await pin("each.up", "PINNED");
    await pin("each", ["x", "y"]);
    const texts = [{ expression: "[line, steps.up.output, steps.read.output.total]" }];
    const [seen] = await preview(texts, { workflowId: id, stepId: "each[1].call" });
    expect(seen.value).toEqual(["y", "PINNED", 1]);
    await owner(`PUT /api/v1/workflows/${id}/pinned-data`, {});
  });

  test("reports the position of an error in the submitted text", async () => {
    const texts = [
      { expression: "1 +" },
      { expression: "  {{ $nope(1) }}" },
      { template: { a: { b: "x {{ 1 + 'a' }}" } } },
      { template: "open {{ 1" },
    ];
    expect(await preview(texts)).toMatchObject([
      { ok: false, error: { code: "syntax", position: 3 } },
      {
        ok: false,
        error: { code: "syntax", message: "The function $nope does not exist.", position: 11 },
      },
      { ok: false, error: { code: "evaluation", path: "/a/b", expression: " 1 + 'a' " } },
      { ok: false, error: { code: "syntax", position: 5 } },
    ]);
  });

  test("never contains a secret, for any caller and any expression", async () => {
    await owner("POST /api/v1/secrets", { name: "PREVIEW_KEY", value: "hunter2-hunter2" });
    const texts = [
      { template: "Bearer {{ secrets.PREVIEW_KEY }}" },
      { expression: "$keys($)" },
      { expression: "$.*" },
      { expression: "secrets" },
    ];
    const previews = await preview(texts, { values: { secrets: { PREVIEW_KEY: "given" } } });
    expect(previews[0]).toMatchObject({
      value: "Bearer [secret PREVIEW_KEY]",
      secrets: ["PREVIEW_KEY"],
    });
    expect(JSON.stringify(previews)).not.toMatch(/hunter2|given/);
  });

  test("has limits of size, time, number and depth", async () => {
    const [large] = await preview([{ expression: "[1..100000]" }]);
    expect(large).toMatchObject({ ok: true, type: "array", length: 100_000, truncated: true });
    expect(JSON.stringify(large.value).length).toBeLessThan(16_500);
    const slow = { expression: "($f := function($n){$f($n + 1)}; $f(1))" };
    const answers = await preview(Array.from({ length: 20 }, () => slow));
    expect(answers).toHaveLength(20);
    for (const { ok } of answers) expect(ok).toBe(false);
    const one = { expression: "1" };
    expect((await owner(PREVIEW, { texts: [] })).status).toBe(422);
    expect((await owner(PREVIEW, { texts: Array.from({ length: 51 }, () => one) })).status).toBe(
      422,
    );
    let deep: unknown = "{{ 1 }}";
    for (let depth = 0; depth < 150; depth += 1) deep = [deep];
    expect((await owner(PREVIEW, { texts: [{ template: deep }] })).status).toBe(422);
  });
});

describe("the names at a location", () => {
  const names = async (body: object, ask = owner) => (await ask(SCOPE, body)).body.data.names;

  test("include earlier steps, nearest first, with schemas and samples of a run", async () => {
    const found = await names({ workflowId: id, stepId: "each.call", runId });
    expect(found.map(({ path }: any) => path)).toEqual([
      "line",
      "index",
      "trigger",
      "steps.up.output",
      "steps.read.output",
      "run",
      "workspace",
      "environment",
    ]);
    const byPath = new Map<string, any>(found.map((one: any) => [one.path, one]));
    expect(byPath.get("line")).toMatchObject({ kind: "item", sample: "a", stepId: "each" });
    expect(byPath.get("steps.up.output")).toMatchObject({
      stepId: "each.up",
      nodeType: "transform",
      sample: "A",
      source: "run",
    });
    expect(byPath.get("steps.read.output")).toMatchObject({
      title: "Read",
      schema: { type: "object", properties: { total: { type: "number" } } },
    });
    expect(byPath.get("trigger").sample.input).toEqual({ who: "Ada", secretNumber: 7 });
  });

  test("are found in an incomplete definition, also with a cycle", async () => {
    const definition = {
      trigger: { type: "webhook" },
      nodes: [{ id: "a-b", type: "http" }, { id: "c", type: "set" }, { id: 7 }, null],
      edges: [{ from: "a-b", to: "c" }, { from: "c", to: "a-b" }, {}, "x"],
    };
    const { body } = await owner(SCOPE, { definition, stepId: "c" });
    const [first, step] = body.data.names;
    expect(first.schema.properties.input.properties).toHaveProperty("headers");
    expect(step).toMatchObject({
      path: "steps.`a-b`.output",
      schema: { properties: { status: { type: "integer" } } },
    });
    expect(body.data.functions).toContainEqual(expect.objectContaining({ name: "$sum" }));
    expect((await owner(SCOPE, { definition, stepId: "gone" })).body.errors).toEqual([
      { path: "/stepId", message: "is not a step of the workflow" },
    ]);
  });
});

test("values of hidden runs and workflows stay hidden", async () => {
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Reads flows",
    permissions: ["workflows:read", "transformer:use"],
  });
  const reader = await world.member([role.data.id]);
  const texts = [{ expression: "trigger.input" }];
  expect(await reader(PREVIEW, { texts, runId })).toMatchObject({ status: 403, events: [] });
  expect((await reader(SCOPE, { workflowId: id, runId })).status).toBe(403);
  expect((await reader(PREVIEW, { texts, workflowId: id })).status).toBe(200);
  const token = await createToken(world, owner, ["transformer:use"]);
  expect((await token(PREVIEW, { texts, workflowId: id })).status).toBe(403);
  expect((await token(PREVIEW, { texts })).status).toBe(200);
  expect((await (await world.member(["member"]))(PREVIEW, { texts })).status).toBe(403);
  const stranger = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await stranger(PREVIEW, { texts, workflowId: id })).status).toBe(404);
  expect((await stranger(PREVIEW, { texts, runId })).status).toBe(404);
});

test("too many previews return 429 and do not slow down runs", async () => {
  const ask = await world.member(["builder"]);
  const endless = "($f := function($n) { $f($n + 1) }; $f(0))";
  const flood = Array.from({ length: 6 }, () =>
    ask("POST /api/v1/expressions/preview", { texts: [{ expression: endless }] }),
  );
  const codes = (await Promise.all(flood)).map(({ body }) => body.data.previews[0].error.code);
  expect(new Set(codes)).toEqual(new Set(["timeout", "busy"]));
});
