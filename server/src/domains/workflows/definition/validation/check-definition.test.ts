import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runAtOnce } from "#kernel/work/turn-timer.ts";
import { checkDefinition } from "./check-definition.ts";
import {
  expressions,
  errorsOf,
  loop,
  errorsOfNodes,
  step,
  types,
} from "../../testing/definitions.ts";
import { tries } from "#kernel/testing/thorough.ts";

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

test("a valid definition has no errors", () => {
  expect(errorsOf(sound)).toEqual([]);
});

describe("the outline", () => {
  test.each<[unknown, string[]]>([
    [null, [" must be object"]],
    [[], [" must be object"]],
    [{}, ["/name is required", "/trigger is required", "/nodes is required", "/edges is required"]],
    [{ ...sound, color: 1 }, ["/color is not a known field"]],
    [{ ...sound, maxConcurrency: 0 }, ["/maxConcurrency must be >= 1"]],
    [{ ...sound, timeoutMs: 0 }, ["/timeoutMs must be >= 1"]],
    [
      { ...sound, errorWorkflowId: "x" },
      ["/errorWorkflowId does not have the right form: ^wf_[0-9a-hjkmnp-tv-z]{26}$"],
    ],
    [{ ...sound, concurrencyKey: "{{ bad }}" }, ["/concurrencyKey is a bad template"]],
    [{ ...sound, nodes: {} }, ["/nodes must be array"]],
  ])("%j", (definition, faults) => {
    expect(errorsOf(definition)).toEqual(faults);
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
      ["/edges/1 appears twice"],
    ],
    [
      [{ from: "a", to: "b", when: "true" }],
      ["/edges/0/when is set, but the step has no branches"],
    ],
    [[{ from: "if", to: "b", when: "maybe" }], ["/edges/0/when must be one of true, false"]],
    [
      [{ from: "a", to: "b", when: "error" }],
      ["/edges/0/when is error, but onError of the step is not branch"],
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
    expect(errorsOfNodes(nodes, edges)).toEqual(faults);
  });

  test("an `onError` branch needs an error edge", () => {
    expect(errorsOfNodes([step("a", { onError: "branch" })])).toEqual([
      "/nodes/0/onError uses the Error output, but it is not connected",
    ]);
  });

  test("the body of a loop is a separate graph", () => {
    const body = { nodes: [step("b")], edges: [{ from: "b", to: "a" }] };
    expect(errorsOfNodes([step("a"), loop("l", body)])).toEqual([
      "/nodes/1/config/body/edges/0/to is not a node of this graph",
    ]);
  });
});

describe("bounds", () => {
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => step(`${prefix}${index}`));

  test("500 nodes, including those in loops", () => {
    const body = { nodes: many(200, "b"), edges: [] };
    expect(errorsOfNodes([...many(299, "a"), loop("l", body)])).toEqual([]);
    expect(errorsOfNodes([...many(300, "a"), loop("l", body)])).toEqual([
      "/nodes exceed the limit of 500, including loops",
    ]);
  });

  test("2,000 edges", () => {
    const nodes = many(100, "a");
    const pairs = nodes.flatMap(({ id: from }, index) =>
      nodes.slice(index + 1).map(({ id: to }) => ({ from, to })),
    );
    expect(errorsOfNodes(nodes, pairs.slice(0, 2_000))).toEqual([]);
    expect(errorsOfNodes(nodes, pairs.slice(0, 2_001))).toEqual([
      "/edges exceed the limit of 2000, including loops",
    ]);
  });

  test("5 nested loops", () => {
    const nested = (depth: number): object =>
      depth === 0 ? step("s") : loop(`l${depth}`, { nodes: [nested(depth - 1)], edges: [] });
    expect(errorsOfNodes([nested(5)])).toEqual([]);
    const [fault, ...others] = errorsOfNodes([nested(6)]);
    expect(fault).toMatch(/^(\/nodes\/0\/config\/body){6} has more than 5 levels of nested loops$/);
    expect(others).toEqual([]);
  });
});

test("any JSON is checked without an exception, and every path is a JSON pointer", () => {
  const words = fc.constantFrom("nodes", "edges", "id", "type", "config", "from", "to", "body");
  const json = fc.object({ key: words, maxDepth: 3, maxKeys: 4, values: [fc.jsonValue(), words] });
  const kinds = types.all.map(({ type }) => type);
  const node = fc.record({ id: fc.string(), type: fc.constantFrom(...kinds), config: json });
  const list = fc.array(fc.oneof(json, node), { maxLength: 4 });
  const definition = fc.record({ trigger: json, nodes: list, edges: list });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), json, definition), (value) => {
      for (const { path, message } of runAtOnce(checkDefinition(value, types, expressions))
        .errors) {
        expect(path).toMatch(/^(\/|$)/);
        expect(message).not.toBe("");
      }
    }),
    { numRuns: tries(500) },
  );
});
