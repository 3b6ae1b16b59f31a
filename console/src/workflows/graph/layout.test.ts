import fc from "fast-check";
import { expect, test } from "vitest";
import type { Edge, Graph, Step } from "./graph.ts";
import { anchorLayout, type Box, layOut } from "./layout.ts";

const step = (id: string, more: Partial<Step> = {}): Step =>
  ({ id, type: "set", name: id, config: {}, ...more }) as Step;
const edge = (from: string, to: string, when?: string): Edge => ({
  from,
  to,
  ...(when !== undefined && { when }),
});

const isInside = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;
const meet = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

test("draws step outputs in edge order, regardless of names", () => {
  const graph: Graph = {
    nodes: [step("pick"), step("z"), step("a"), step("m")],
    edges: [edge("pick", "z", "1"), edge("pick", "a", "2"), edge("pick", "m", "3")],
  };
  const { boxes } = layOut(graph);
  const xs = ["z", "a", "m"].map((id) => boxes.get(id)!.x);
  expect(xs).toEqual(xs.toSorted((a, b) => a - b));
});

test("draws loop frames around the body, collapsed loops as steps, and merges parallel wires", () => {
  const body: Graph = { nodes: [step("x"), step("y")], edges: [edge("x", "y")] };
  const graph: Graph = {
    nodes: [step("pick"), step("each", { type: "loop", config: { body } })],
    edges: [edge("pick", "each", "true"), edge("pick", "each", "false")],
  };
  const open = layOut(graph);
  for (const key of ["each/x", "each/y"]) {
    expect(isInside(open.boxes.get(key)!, open.boxes.get("each")!)).toBe(true);
  }
  expect(open.wires.filter(({ to }) => to === "each").map(({ edges }) => edges.length)).toEqual([
    2,
  ]);
  const folded = layOut(graph, { folded: new Set(["each"]), opened: new Map() });
  expect([folded.boxes.get("each")?.kind, folded.boxes.has("each/x")]).toEqual(["step", false]);
});

test("the step in focus keeps its position when a step is added above it", () => {
  const before: Graph = { nodes: [step("a"), step("b")], edges: [edge("a", "b")] };
  const after: Graph = {
    nodes: [step("a"), step("n"), step("b")],
    edges: [edge("a", "n"), edge("n", "b")],
  };
  const [old, fresh] = [layOut(before), layOut(after)];
  const offset = anchorLayout(old, fresh, { x: 5, y: 7 }, [undefined, "gone", "b"]);
  expect(fresh.boxes.get("b")!.y + offset.y).toBeCloseTo(old.boxes.get("b")!.y + 7);
});

const graphs = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(Math.max(0, size - 2)), fc.nat(size - 1)), {
      selector: ([a, b]) => `${a}:${b}`,
      maxLength: 20,
    })
    .map((pairs): Graph => ({
      nodes: Array.from({ length: size }, (_, n) => step(`s${n}`)),
      edges: pairs.filter(([a, b]) => a < b).map(([a, b]) => edge(`s${a}`, `s${b}`)),
    })),
);

test("for any graph, steps do not overlap, wires go down, and the layout is deterministic", () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { boxes, wires } = layOut(graph);
      const all = [...boxes.values()];
      for (const [n, box] of all.entries()) {
        for (const other of all.slice(n + 1)) expect(meet(box, other)).toBe(false);
      }
      for (const { from, to } of wires) {
        const [a, b] = [boxes.get(from)!, boxes.get(to)!];
        expect(b.y).toBeGreaterThan(a.y + a.height);
      }
      expect([...layOut({ ...graph }).boxes.values()]).toEqual(all);
    }),
  );
});
