import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtInNodeTypes } from "./built-in.ts";
import { checkDefinition } from "./check.ts";
import { nodeTypes } from "./node-type.ts";

const types = nodeTypes(builtInNodeTypes);

/** An engine that finds fault with whatever says "bad", so that it is seen what it is asked. */
const expressions = {
  template: (value: unknown) =>
    pathsOf(value, "").map((path) => ({ path, message: "is a bad template" })),
  expression: (text: string) => (text.includes("bad") ? [{ message: "is a bad expression" }] : []),
};

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value === "string") return /\{\{.*bad.*\}\}/.test(value) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, `${path}/${key}`));
}

const sound = {
  name: "Escalate",
  trigger: { type: "manual" },
  nodes: [
    { id: "check", type: "condition", config: { expression: "trigger.input.total > 100" } },
    {
      id: "call",
      type: "http",
      config: { url: "https://example.com", method: "{{ trigger.input.method }}" },
      retry: { maxAttempts: 3, backoffMs: 100, strategy: "fixed" },
      timeoutMs: 5_000,
      onError: "branch",
    },
    {
      id: "each",
      type: "loop",
      config: {
        items: "{{ steps.call.output.body }}",
        body: {
          nodes: [{ id: "pause", type: "delay", config: { ms: "{{ item.ms }}" } }],
          edges: [],
        },
      },
    },
    { id: "end", type: "fail", config: { message: "Could not call" } },
  ],
  edges: [
    { from: "check", to: "call", when: "true" },
    { from: "call", to: "each" },
    { from: "call", to: "end", when: "error" },
  ],
  maxConcurrency: 5,
  concurrencyKey: "{{ trigger.input.customer }}",
  timeoutMs: 60_000,
};

function faultsOf(definition: unknown): string[] {
  return checkDefinition(definition, types, expressions).map(
    ({ path, message }) => `${path} ${message}`,
  );
}

/** The faults of a definition with these nodes. */
function ofNodes(nodes: unknown[], edges: unknown[] = []): string[] {
  return faultsOf({ name: "x", trigger: { type: "manual" }, nodes, edges });
}

function ofTrigger(trigger: unknown): string[] {
  return faultsOf({ name: "x", trigger, nodes: [], edges: [] });
}

const step = (id: string, more: object = {}) => ({
  id,
  type: "set",
  config: { values: {} },
  ...more,
});
const loop = (id: string, body: unknown) => ({ id, type: "loop", config: { items: [], body } });

test("a sound definition has no faults", () => {
  expect(faultsOf(sound)).toEqual([]);
});

describe("the outline", () => {
  test.each<[unknown, string[]]>([
    [null, [" must be object"]],
    [[], [" must be object"]],
    [{}, ["/name is required", "/trigger is required", "/nodes is required", "/edges is required"]],
    [{ ...sound, color: 1 }, ["/color is not a known field"]],
    [{ ...sound, maxConcurrency: 0 }, ["/maxConcurrency must be >= 1"]],
    [{ ...sound, timeoutMs: 0 }, ["/timeoutMs must be >= 1"]],
    [{ ...sound, errorWorkflowId: "x" }, ["/errorWorkflowId does not have the right form"]],
    [{ ...sound, concurrencyKey: "{{ bad }}" }, ["/concurrencyKey is a bad template"]],
    [{ ...sound, nodes: {} }, ["/nodes must be array"]],
  ])("%j", (definition, faults) => {
    expect(faultsOf(definition)).toEqual(faults);
  });
});

describe("triggers", () => {
  const known = "must be one of manual, event_bus, schedule, webhook";
  test.each<[unknown, string[]]>([
    [
      {
        type: "event_bus",
        topic: "orders",
        eventType: "order.*",
        filter: { "data.total": { gte: 5 } },
      },
      [],
    ],
    [{ type: "schedule", cron: "0 9 * * MON-FRI", timezone: "Europe/Berlin" }, []],
    [{ type: "schedule", cron: "*/10 * * * * *" }, []],
    [{ type: "schedule", cron: "0 0 29 2 *" }, []],
    [{ type: "webhook" }, []],
    [
      {
        type: "webhook",
        signature: { secret: "{{secrets.HOOK}}", header: "X-Hub-Signature-256", prefix: "sha256=" },
      },
      [],
    ],
    ["manual", ["/trigger must be object"]],
    [{}, ["/trigger/type is required"]],
    [{ type: "nightly" }, [`/trigger/type ${known}`]],
    [{ type: "manual", cron: "* * * * *" }, ["/trigger/cron is not a known field"]],
    [{ type: "event_bus" }, ["/trigger/topic is required"]],
    [
      { type: "event_bus", topic: "t", eventType: "a..b" },
      ["/trigger/eventType must be an event type or a pattern"],
    ],
    [
      { type: "event_bus", topic: "t", filter: { a: { near: 1 } } },
      ["/trigger/filter/a/near is not an operator; to compare with an object, use eq"],
    ],
    [{ type: "schedule" }, ["/trigger/cron is required"]],
    [
      { type: "schedule", cron: "61 * * * *" },
      ["/trigger/cron is not a cron expression: Invalid value for minute: 61"],
    ],
    [{ type: "schedule", cron: "0 0 31 2 *" }, ["/trigger/cron names no time that ever comes"]],
    [{ type: "schedule", cron: "2030-01-01T00:00:00" }, ["/trigger/cron is not a cron expression"]],
    [{ type: "schedule", cron: "? * * * *" }, ["/trigger/cron is not a cron expression"]],
    [
      { type: "schedule", cron: "@daily", timezone: "Mars/Olympus" },
      ["/trigger/timezone is not a time zone that we know"],
    ],
    [
      { type: "schedule", cron: "@daily", timezone: "+02:00" },
      ["/trigger/timezone is not a time zone that we know"],
    ],
    [
      { type: "webhook", signature: { secret: "plain" } },
      ["/trigger/signature/secret does not have the right form"],
    ],
  ])("%j", (trigger, faults) => {
    expect(ofTrigger(trigger)).toEqual(faults);
  });
});

describe("nodes", () => {
  const http = (config: object, more: object = {}) => ({ id: "a", type: "http", config, ...more });
  const url = "https://example.com";
  const ofConfig = (type: string, config?: object) => ({
    id: "a",
    type,
    ...(config && { config }),
  });
  test.each<[unknown, string[]]>([
    ["a", ["/nodes/0 must be object"]],
    [{ id: "a" }, ["/nodes/0/type is required"]],
    [step("1st"), ["/nodes/0/id does not have the right form"]],
    [step("__proto__"), ["/nodes/0/id is a reserved word"]],
    [step("a", { type: "teleport" }), ["/nodes/0/type is not a known node type"]],
    [step("a", { colour: 1 }), ["/nodes/0/colour is not a known field"]],
    [step("a", { onError: "panic" }), ["/nodes/0/onError must be one of fail, continue, branch"]],
    [step("a", { retry: { maxAttempts: 21 } }), ["/nodes/0/retry/maxAttempts must be <= 20"]],
    [
      step("a", { retry: { maxAttempts: 1, backoffMs: 3_600_001 } }),
      ["/nodes/0/retry/backoffMs must be <= 3600000"],
    ],
    [step("a", { timeoutMs: 0 }), ["/nodes/0/timeoutMs must be >= 1"]],
    [http({}), ["/nodes/0/config/url is required"]],
    [
      http({ url: "ftp://x", headers: { a: 1 } }),
      [
        "/nodes/0/config/url does not have the right form",
        "/nodes/0/config/headers/a must be string",
      ],
    ],
    [
      http({ url, headers: "{{ x }}", query: { a: "{{ bad }}" } }),
      ["/nodes/0/config/query/a is a bad template"],
    ],
    [ofConfig("delay", { ms: "soon" }), ["/nodes/0/config/ms must be integer"]],
    [ofConfig("delay"), ["/nodes/0/config/ms is required"]],
    [
      ofConfig("transform", { expression: "bad" }),
      ["/nodes/0/config/expression is a bad expression"],
    ],
    [
      ofConfig("transform", { expression: "{{ bad }}" }),
      ["/nodes/0/config/expression is a bad expression"],
    ],
    [ofConfig("script", { source: "return '{{ bad }}'" }), []],
    [
      ofConfig("wait_for_event", {
        topic: "t",
        eventType: "{{ x }}",
        filter: { id: { in: "{{ x }}" } },
      }),
      [],
    ],
    [
      ofConfig("wait_for_event", { topic: "t", filter: { id: { in: "x" } } }),
      ["/nodes/0/config/filter/id/in must be a list of at least one value"],
    ],
    [
      ofConfig("records", { operation: "update", table: "t" }),
      ["/nodes/0/config/id is required to update", "/nodes/0/config/data is required to update"],
    ],
    [ofConfig("records", { operation: "{{ x }}", table: "t" }), []],
    [
      ofConfig("switch", { expression: "x", cases: ["a", 1, "a", "error"] }),
      [
        "/nodes/0/config/cases/2 is there twice",
        "/nodes/0/config/cases/3 is the name of a branch that every switch has",
      ],
    ],
    [
      ofConfig("loop", { items: [], concurrency: 101, body: { nodes: [step("b")], edges: [] } }),
      ["/nodes/0/config/concurrency must be <= 100"],
    ],
    [
      ofConfig("loop", { items: [], as: "steps", body: { nodes: [step("b")], edges: [] } }),
      ["/nodes/0/config/as does not have the right form"],
    ],
    [
      ofConfig("loop", { items: [], body: { nodes: [], edges: [] } }),
      ["/nodes/0/config/body/nodes must not have fewer than 1 items"],
    ],
    [
      { ...ofConfig("fail", { message: "no" }), onError: "continue", retry: { maxAttempts: 2 } },
      [
        "/nodes/0/retry makes no sense for a step that is meant to fail",
        "/nodes/0/onError must be fail for a step that is meant to fail",
      ],
    ],
  ])("%j", (node, faults) => {
    expect(ofNodes([node])).toEqual(faults);
  });

  test("ids are unique, also between a loop and what is around it", () => {
    const body = { nodes: [step("a"), step("c"), step("c")], edges: [] };
    expect(
      ofNodes([
        step("a"),
        step("a"),
        loop("b", body),
        loop("d", { nodes: [step("c")], edges: [] }),
      ]),
    ).toEqual([
      "/nodes/1/id is the id of another node too",
      "/nodes/2/config/body/nodes/0/id is the id of a node outside of the loop too",
      "/nodes/2/config/body/nodes/2/id is the id of another node too",
    ]);
  });

  test("every fault of every node is found, not the first few", () => {
    const nodes = Array.from({ length: 60 }, (_, index) => step(`n${index}`, { onError: "panic" }));
    expect(ofNodes(nodes)).toHaveLength(60);
  });
});

describe("edges", () => {
  const fork = { id: "if", type: "condition", config: { expression: "x" } };
  const nodes = [step("a"), step("b"), step("c"), fork];
  test.each<[object[], string[]]>([
    [
      [
        { from: "a", to: "b" },
        { from: "a", to: "c" },
        { from: "if", to: "a", when: "true" },
      ],
      [],
    ],
    [
      [
        { from: "if", to: "a", when: "true" },
        { from: "if", to: "a", when: "false" },
      ],
      [],
    ],
    [[{ from: "a" }], ["/edges/0/to is required"]],
    [
      [
        { from: "a", to: "z" },
        { from: "y", to: "a" },
      ],
      ["/edges/0/to is not a node of this graph", "/edges/1/from is not a node of this graph"],
    ],
    [
      [
        { from: "a", to: "b" },
        { from: "a", to: "b" },
      ],
      ["/edges/1 is there twice"],
    ],
    [
      [{ from: "a", to: "b", when: "true" }],
      ["/edges/0/when names a branch, but the node has none"],
    ],
    [[{ from: "if", to: "b", when: "maybe" }], ["/edges/0/when must be one of true, false"]],
    [
      [{ from: "a", to: "b", when: "error" }],
      ["/edges/0/when is error, but the node's onError is not branch"],
    ],
    [[{ from: "a", to: "a" }], ["/edges/0 closes a cycle: a → a; only a loop repeats steps"]],
    [
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
        { from: "c", to: "a" },
      ],
      ["/edges/2 closes a cycle: a → b → c → a; only a loop repeats steps"],
    ],
  ])("%j", (edges, faults) => {
    expect(ofNodes(nodes, edges)).toEqual(faults);
  });

  test("errors that should be handled by a branch need one", () => {
    expect(ofNodes([step("a", { onError: "branch" })])).toEqual([
      "/nodes/0/onError is branch, but no edge leaves with when: error",
    ]);
  });

  test("the body of a loop is a graph of its own", () => {
    const body = { nodes: [step("b")], edges: [{ from: "b", to: "a" }] };
    expect(ofNodes([step("a"), loop("l", body)])).toEqual([
      "/nodes/1/config/body/edges/0/to is not a node of this graph",
    ]);
  });
});

describe("bounds", () => {
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => step(`${prefix}${index}`));

  test("500 nodes, those in loops included", () => {
    const body = { nodes: many(200, "b"), edges: [] };
    expect(ofNodes([...many(299, "a"), loop("l", body)])).toEqual([]);
    expect(ofNodes([...many(300, "a"), loop("l", body)])).toEqual([
      "/nodes are more than 500, loops included",
    ]);
  });

  test("2,000 edges", () => {
    const nodes = many(100, "a");
    const pairs = nodes.flatMap(({ id: from }, index) =>
      nodes.slice(index + 1).map(({ id: to }) => ({ from, to })),
    );
    expect(ofNodes(nodes, pairs.slice(0, 2_000))).toEqual([]);
    expect(ofNodes(nodes, pairs.slice(0, 2_001))).toEqual([
      "/edges are more than 2000, loops included",
    ]);
  });

  test("5 loops in each other", () => {
    const nested = (depth: number): object =>
      depth === 0 ? step("s") : loop(`l${depth}`, { nodes: [nested(depth - 1)], edges: [] });
    expect(ofNodes([nested(5)])).toEqual([]);
    const [fault, ...others] = ofNodes([nested(6)]);
    expect(fault).toMatch(/^(\/nodes\/0\/config\/body){6} is nested in more than 5 loops$/);
    expect(others).toEqual([]);
  });
});

test("any JSON is judged without a throw, and every path is a pointer", () => {
  const words = fc.constantFrom("nodes", "edges", "id", "type", "config", "from", "to", "body");
  const json = fc.object({ key: words, maxDepth: 3, maxKeys: 4, values: [fc.jsonValue(), words] });
  const kinds = types.all.map(({ type }) => type);
  const node = fc.record({ id: fc.string(), type: fc.constantFrom(...kinds), config: json });
  const list = fc.array(fc.oneof(json, node), { maxLength: 4 });
  const definition = fc.record({ trigger: json, nodes: list, edges: list });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), json, definition), (value) => {
      for (const { path, message } of checkDefinition(value, types, expressions)) {
        expect(path).toMatch(/^(\/|$)/);
        expect(message).not.toBe("");
      }
    }),
    { numRuns: 500 },
  );
});
