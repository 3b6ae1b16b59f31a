/** Saving reports unknown names in a definition with their path. */
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const json = { "content-type": "application/json" };

await owner("POST /api/v1/tables", {
  name: "Orders",
  columns: [{ name: "total", type: "integer" }],
});
const { body: connector } = await owner("POST /api/v1/connectors", {
  name: "API",
  type: "http",
  config: { baseUrl: "https://api.example.com" },
});
await owner("POST /api/flowsdk/artifacts", {
  moduleKey: "shop",
  name: "discount",
  artifactType: "workflow_node",
  status: "active",
  detail: {
    scriptSource: `export default defineArtifact({
      inputs: { total: { type: "number", required: true }, tier: { type: "enum", values: ["gold"] } },
      outputs: {},
      execute: () => ({}),
    })`,
  },
});

const set = (id: string, value: string) => ({ id, type: "set", config: { values: { v: value } } });
const node = (type: string, config: object) => ({ id: "n", type, config });

/** The errors and warnings of a definition, as path and message. */
async function issuesOf(nodes: readonly object[], more: object = {}) {
  const definition = { name: "x", trigger: { type: "manual" }, nodes, edges: [], ...more };
  const { body, status } = await owner("POST /api/v1/workflows/validate", definition, json);
  expect(status, JSON.stringify(body)).toBe(200);
  const toText = ({ path, message }: any): string => `${path} ${message}`;
  return { errors: body.data.errors.map(toText), warnings: body.data.warnings.map(toText) };
}

const V = "/nodes/0/config/values/v";

test.each<[string, string]>([
  ["{{ steps.zzz.output }}", "reads steps.zzz, which does not exist"],
  ["{{ steps.m.outptu }}", "reads steps.m.outptu, but a step has only output, error, page"],
  ["{{ stesp.m }}", "reads stesp, which does not exist (did you mean steps?); available names:"],
  ["{{ input.name }}", "reads input, which does not exist; available names: trigger, steps, run"],
  ["{{ $json.name }}", "reads $json, which is not defined"],
  ["{{ trigger.nmae }}", "reads trigger.nmae, but trigger has only id, type, input, event"],
  ["{{ workspace.zone }}", "reads workspace.zone, but workspace has only id, slug, name, timezone"],
  ["{{ secrets.* }}", "reads secrets without a name: use secrets.NAME for each secret"],
  ["{{ $map([1], function($x) { $y }) }}", "reads $y, which is not defined"],
])("%s", async (value, message) => {
  const { errors } = await issuesOf([set("n", value), set("m", "x")]);
  expect(errors).toEqual([expect.stringContaining(`${V} ${message}`)]);
});

test("existing names cause no issues, also in loops", async () => {
  const inner = set("in", "{{ item.a & index & steps.m.output.v & $sum(trigger.input.(a.b)) }}");
  const each = node("loop", {
    items: "{{ steps.m.output.v }}",
    body: { nodes: [inner], edges: [] },
  });
  const edges = [{ from: "m", to: "n" }];
  const bound = set("m", "{{ ($x := run.id; $map([1], function($v, $i) { $v & $x & $i })) }}");
  expect(await issuesOf([bound, each], { edges })).toEqual({ errors: [], warnings: [] });
  // Only the body sees the item, and only earlier steps have an output.
  expect(await issuesOf([each, set("m", "{{ item.a & steps.in.output.v }}")])).toEqual({
    errors: [
      expect.stringContaining("/nodes/1/config/values/v reads item, which does not exist"),
      expect.stringContaining("/nodes/1/config/values/v reads steps.in, which does not exist"),
    ],
    warnings: [
      "/nodes/0/config/items reads steps.m, which does not run before this step",
      "/nodes/0/config/body/nodes/0/config/values/v reads steps.m, which does not run before this step",
    ],
  });
});

test.each<[string, object, string, "errors" | "warnings"]>([
  ["script", { source: "return (;" }, "/source can't be parsed as a script: ", "errors"],
  [
    "connector",
    { connectorId: "con_01jd0000000000000000000000", action: "x" },
    "/connectorId is not",
    "errors",
  ],
  [
    "connector",
    { connectorId: connector.data.id, action: "x" },
    "/action is not an action of API",
    "errors",
  ],
  ["artifact", { artifactId: "art_01jd0000000000000000000000" }, "/artifactId is not an", "errors"],
  [
    "approval",
    { approvers: ["owner", "nobody"] },
    "/approvers/1 is not a member or a role",
    "errors",
  ],
  [
    "notify",
    { userIds: ["usr_01jd0000000000000000000000"], title: "x" },
    "/userIds/0 is not a member",
    "errors",
  ],
  ["publish_event", { topic: "audit.x", type: "x" }, "/topic is a topic that only", "errors"],
  [
    "wait_for_event",
    { topic: "record", eventType: "record.creatd" },
    "/eventType is not an event type of the platform (did you mean record.created?)",
    "errors",
  ],
  [
    "wait_for_event",
    { topic: "records" },
    "/topic is not a topic of the platform (did you mean record?)",
    "warnings",
  ],
  ["shop.discount", { total: "x", tear: "gold" }, "/total must be of type number", "errors"],
  [
    "shop.discount",
    { total: 1, tear: "gold" },
    "/tear is not an input of this node (did you mean tier?)",
    "errors",
  ],
  [
    "records",
    { operation: "list", table: "ordres" },
    "/table refers to the table ordres, which does not exist in this environment",
    "warnings",
  ],
  [
    "records",
    { operation: "create", table: "orders", data: { totla: 1 } },
    "/data/totla refers to totla, which is not a column of this table (did you mean total?)",
    "warnings",
  ],
  [
    "records",
    { operation: "list", table: "orders", sort: "-totla" },
    "/sort refers to totla",
    "warnings",
  ],
])("%s %j", async (type, config, message, kind) => {
  const found = await issuesOf([node(type, config)]);
  expect(found[kind][0]).toContain(`/nodes/0/config${message}`);
  expect(found[kind === "errors" ? "warnings" : "errors"]).toEqual([]);
});

test("a save returns warnings, and converts edge labels to text", async () => {
  const nodes = [
    node("condition", { expression: "true" }),
    { id: "m", type: "records", config: { operation: "list", table: "nowhere" } },
  ];
  const edges = [{ from: "n", to: "m", when: true }];
  const made = await owner("POST /api/v1/workflows", {
    name: "x",
    trigger: { type: "event_bus", topic: "shop", eventType: "recrod.created" },
    nodes,
    edges,
  });
  expect(made).toMatchObject({
    status: 201,
    events: ["workflow.created", "workflow.version_created"],
    body: {
      data: {
        edges: [{ from: "n", to: "m", when: "true" }],
        warnings: expect.arrayContaining([
          {
            path: "/nodes/1/config/table",
            message: "refers to the table nowhere, which does not exist in this environment",
          },
          {
            path: "/trigger/eventType",
            message: "is not an event type of the platform (did you mean record.created?)",
          },
        ]),
      },
    },
  });
});
