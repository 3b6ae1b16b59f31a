import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtInNodeTypes } from "../testing/built-in.ts";
import type { Node } from "./definition.ts";
import { nodeTypes } from "./node-type.ts";
import { compilePlan } from "./execution-plan.ts";

const types = nodeTypes(builtInNodeTypes);
const step = (id: string, more: Partial<Node> = {}): Node => ({ id, type: "set", ...more });

describe("compilePlan", () => {
  test("lists the targets of each node's edges, and the first and last nodes", () => {
    const { graph } = compilePlan(
      {
        nodes: [step("c"), step("a"), step("b")],
        edges: [
          { from: "a", to: "c" },
          { from: "b", to: "c", when: "error" },
        ],
      },
      types,
    );
    expect(graph.nodes.map(({ id, index }) => [id, index])).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
    ]);
    expect(graph.incoming).toEqual([0, 0, 2]);
    expect(graph.byId.get("b")?.outgoing).toEqual([{ to: 2, when: "error" }]);
    expect(graph.roots.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(graph.sinks.map(({ id }) => id)).toEqual(["c"]);
  });

  test("fills in defaults of a definition", () => {
    const retry = { maxAttempts: 2 };
    const { graph } = compilePlan({ nodes: [step("a", { retry })], edges: [] }, types);
    expect(graph.nodes[0]).toMatchObject({
      onError: "fail",
      config: {},
      concurrency: 1,
      collects: true,
      body: undefined,
      retry: { maxAttempts: 2, backoffMs: 1_000, strategy: "exponential", maxDelayMs: 3_600_000 },
    });
  });

  test("compiles loop bodies too, and detects if a run can send a response", () => {
    const body = { nodes: [step("x"), step("y")], edges: [{ from: "y", to: "x" }] };
    const each = { id: "each", type: "loop", config: { items: [], concurrency: 7, body } };
    const plan = compilePlan({ nodes: [each], edges: [] }, types);
    expect(plan.graph.nodes[0]?.body?.nodes.map(({ id }) => id)).toEqual(["y", "x"]);
    expect(plan.graph.nodes[0]?.concurrency).toBe(7);
    expect(plan.answers).toBe(false);
    const answer = step("answer", { type: "respond" });
    expect(compilePlan({ nodes: [answer], edges: [] }, types).answers).toBe(true);
  });

  test("rejects a definition that was not checked", () => {
    const cycle = [
      { from: "a", to: "b" },
      { from: "b", to: "a" },
    ];
    const nodes = [step("a"), step("b")];
    expect(() => compilePlan({ nodes, edges: cycle }, types)).toThrow("cycle");
    expect(() => compilePlan({ nodes, edges: [{ from: "a", to: "z" }] }, types)).toThrow("names z");
    expect(() => compilePlan({ nodes: [step("a", { type: "?" })], edges: [] }, types)).toThrow();
  });

  test("sorts every node after its predecessors", () => {
    const pairs = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 });
    const shuffled = fc.shuffledSubarray([...Array(10).keys()], { minLength: 10 });
    fc.assert(
      fc.property(pairs, shuffled, (ends, order) => {
        const edges = ends
          .filter(([a, b]) => a !== b)
          .map(([a, b]) => ({ from: `n${Math.min(a, b)}`, to: `n${Math.max(a, b)}` }));
        const { graph } = compilePlan({ nodes: order.map((n) => step(`n${n}`)), edges }, types);
        const place = new Map(graph.nodes.map(({ id, index }) => [id, index]));
        expect(graph.nodes).toHaveLength(10);
        for (const { from, to } of edges) expect(place.get(from)).toBeLessThan(place.get(to)!);
      }),
    );
  });
});
