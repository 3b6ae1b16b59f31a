import fc from "fast-check";
import { expect, test } from "vitest";
import {
  changeStep,
  connectionError,
  copySteps,
  insertSteps,
  moveSteps,
  removeSteps,
  renameSteps,
  reorderColumn,
  wrapInLoop,
} from "./edit.ts";
import {
  type Edge,
  findGraph,
  findStep,
  freeId,
  type Graph,
  type Step,
  walkSteps,
} from "./graph.ts";

const step = (id: string, more: Partial<Step> = {}): Step =>
  ({ id, type: "set", name: id, config: {}, ...more }) as Step;
const edge = (from: string, to: string, when?: string): Edge => ({
  from,
  to,
  ...(when !== undefined && { when }),
});
const lines = ({ edges }: Graph): string[] =>
  edges.map(({ from, to, when }) => `${from}>${to}${when === undefined ? "" : `:${when}`}`);

const chain: Graph = {
  nodes: [step("a"), step("b"), step("c")],
  edges: [edge("a", "b"), edge("b", "c")],
};

test("a step is inserted into an edge, after a step, parallel to its successors, and before the first step", () => {
  const clip: Graph = { nodes: [step("x")], edges: [] };
  const at = (spot: Omit<Parameters<typeof insertSteps>[2], "place">): string[] =>
    lines(insertSteps(chain, clip, { place: "", ...spot }));
  expect(at({ edges: [edge("a", "b")] })).toEqual(["a>x", "b>c", "x>b"]);
  expect(at({ after: "b" })).toEqual(["a>b", "b>x", "x>c"]);
  expect(at({ after: "a", beside: true })).toEqual(["a>b", "b>c", "a>x"]);
  expect(at({ before: ["a"] })).toEqual(["a>b", "b>c", "x>a"]);
});

test("copied steps get new ids, and expressions that refer to them are updated", () => {
  const root: Graph = {
    nodes: [step("read"), step("use", { config: { values: { n: "{{ steps.read.output.n }}" } } })],
    edges: [edge("read", "use")],
  };
  const copy = renameSteps(root, copySteps(root, ["read", "use"]));
  expect(lines(copy)).toEqual(["read_2>use_2"]);
  expect(copy.nodes[1]?.config).toEqual({ values: { n: "{{ steps.read_2.output.n }}" } });
});

test("steps are wrapped in a loop, and edits inside it keep other steps as the same objects", () => {
  const { root, key } = wrapInLoop(chain, ["b"]);
  expect(lines(root)).toEqual(["a>each", "each>c"]);
  expect(key).toBe("each");
  const after = insertSteps(root, { nodes: [step("x")], edges: [] }, { place: "each", after: "b" });
  expect(lines(findGraph(after, "each")!)).toEqual(["b>x"]);
  expect(findStep(after, "a")).toBe(findStep(root, "a"));
});

test("a renamed case of a switch keeps its edge", () => {
  const choice = step("pick", { type: "switch", config: { cases: ["x", "y"] } });
  const root: Graph = {
    nodes: [choice, step("a"), step("b")],
    edges: [edge("pick", "a", "x"), edge("pick", "b", "default")],
  };
  const renamed = { ...choice, config: { cases: ["z", "y"] } } as Step;
  expect(lines(changeStep(root, "pick", choice, renamed))).toEqual(["pick>a:z", "pick>b:default"]);
  const fewer = { ...choice, config: { cases: ["y"] } } as Step;
  expect(lines(changeStep(root, "pick", choice, fewer))).toEqual(["pick>b:default"]);
});

test("columns are reordered by the order of their edges", () => {
  const root: Graph = {
    nodes: [step("a"), step("l"), step("r")],
    edges: [edge("a", "l"), edge("a", "r")],
  };
  expect(lines(reorderColumn(root, "l", 1))).toEqual(["a>r", "a>l"]);
  expect(reorderColumn(root, "l", -1).edges).toBe(root.edges);
});

test("an edge that creates a cycle or already exists is rejected", () => {
  expect(connectionError(chain, edge("c", "a"))).toContain("cycle");
  expect(connectionError(chain, edge("a", "b"))).toContain("already");
  expect(connectionError(chain, edge("a", "c"))).toBeUndefined();
});

/** A graph without cycles: edges lead from earlier steps to later ones. */
const graphs = fc.integer({ min: 2, max: 7 }).chain((size) =>
  fc
    .uniqueArray(
      fc
        .tuple(fc.nat(size - 2), fc.nat(size - 1))
        .map(([a, b]) => [a, Math.max(a + 1, b)] as const),
      { selector: ([a, b]) => `${a}:${b}`, maxLength: 12 },
    )
    .map((pairs): Graph => ({
      nodes: Array.from({ length: size }, (_, n) => step(`s${n}`)),
      edges: pairs.map(([a, b]) => edge(`s${a}`, `s${b}`)),
    })),
);

const heads = ({ nodes, edges }: Graph): string[] =>
  nodes.map(({ id }) => id).filter((id) => !edges.some(({ to }) => to === id));

test("after any removal or move, no other step becomes a start step, and no id is lost or duplicated", () => {
  fc.assert(
    fc.property(graphs, fc.nat(6), fc.nat(11), (graph, which, where) => {
      const { id } = graph.nodes[which % graph.nodes.length]!;
      const followers = graph.edges.filter(({ from }) => from === id).map(({ to }) => to);
      const isHead = heads(graph).includes(id);
      const removed = removeSteps(graph, [id]);
      const allowed = new Set([...heads(graph), ...(isHead ? followers : [])]);
      expect(heads(removed).filter((head) => !allowed.has(head))).toEqual([]);

      const target = graph.edges[where % Math.max(1, graph.edges.length)];
      if (!target || target.from === id || target.to === id) return;
      const moved = moveSteps(graph, [id], { place: "", edges: [target] });
      const ids = [...walkSteps(moved)].map(([key]) => key).toSorted();
      expect(ids).toEqual(graph.nodes.map((node) => node.id).toSorted());
      for (const each of moved.edges) {
        const rest = { ...moved, edges: moved.edges.filter((other) => other !== each) };
        expect(connectionError(rest, each)).toBeUndefined();
      }
    }),
  );
});

test("a free id is not used by any step, also not in loops", () => {
  const { root } = wrapInLoop(chain, ["b"]);
  expect(freeId(root, "B")).toBe("b_2");
  expect(freeId(root, "Größe 3!")).toBe("gro_e_3");
  expect(freeId(root, "…")).toBe("step");
});
