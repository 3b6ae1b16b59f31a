import { expect, test } from "vitest";
import type { Definition, Graph } from "../graph/graph.ts";
import { layOut } from "../graph/layout.ts";
import { unconnectedKeys } from "../graph/starts.ts";
import {
  addStep,
  type Change,
  deleteSteps,
  deleteWire,
  duplicateSteps,
  findSpot,
  linkSteps,
  loopOver,
  type Outcome,
  pasteSteps,
  passNeighbour,
  toClipboard,
} from "./edits.ts";

const draft = {
  name: "Orders",
  trigger: { type: "manual" },
  nodes: [
    { id: "a", type: "set", name: "Read" },
    { id: "if", type: "condition", name: "Big?" },
    { id: "b", type: "set", name: "Yes" },
    { id: "c", type: "set", name: "No" },
    {
      id: "each",
      type: "loop",
      config: { body: { nodes: [{ id: "in", type: "set" }], edges: [] } },
    },
  ],
  edges: [
    { from: "a", to: "if" },
    { from: "if", to: "b", when: "true" },
    { from: "if", to: "c", when: "false" },
    { from: "b", to: "each" },
  ],
} as Definition;

const lines = ({ edges }: Graph): string[] =>
  edges.map(({ from, to, when }) => `${from}${when === undefined ? "" : `[${when}]`}>${to}`);
const done = (outcome: Outcome): Change => {
  expect(outcome).toHaveProperty("after");
  return outcome as Change;
};

test("a step is added after, before, next to another, first, and on the selected output", () => {
  const set = { type: "set", name: "New" };
  const add = (key: string | undefined, how: "after" | "before" | "beside", when?: string) =>
    lines(addStep(draft, set, { ...findSpot(draft, key, how).spot, when }).after);
  expect(add("a", "after")).toContain("new>if");
  expect(add("if", "before").slice(0, 1)).toEqual(["a>new"]);
  expect(add("a", "beside")).toEqual([...lines(draft), "a>new"]);
  expect(add("if", "after", "false")).toContain("new>c");
  expect(add("*", "after")).toContain("new>a");
  expect(findSpot(draft, "if", "after").ways).toEqual(["true", "false"]);
  const loop = {
    type: "loop",
    name: "For each",
    config: { body: { nodes: [{ id: "in", type: "set" }], edges: [] } },
  };
  const { after, chosen } = addStep(draft, loop, { place: "" });
  expect([chosen, JSON.stringify(after)]).toEqual([
    ["for_each"],
    expect.stringContaining('"in_2"'),
  ]);
});

test("deleting a step connects its neighbours, describes the effect, and never empties a loop", () => {
  const { after, note, chosen } = done(deleteSteps(draft, ["if"]));
  expect([lines(after), chosen]).toEqual([["a>b", "a>c", "b>each"], ["a"]]);
  expect(note).toBe("Big? deleted. All 2 branches after it now run");
  expect(deleteSteps(draft, ["each/in"])).toHaveProperty("refused");
  expect(deleteSteps(draft, ["*"])).toBeUndefined();
  const wire = layOut(draft).wires.find(({ id }) => id === "b>each");
  expect(wire && lines(done(deleteWire(draft, wire, [])).after)).not.toContain("b>each");
});

test("the same action connects and disconnects steps, and rejects cycles and edges across a loop border", () => {
  expect(lines(done(linkSteps(draft, "c", "each")).after)).toContain("c>each");
  expect(lines(done(linkSteps(draft, "b", "each")).after)).not.toContain("b>each");
  expect(linkSteps(draft, "each", "a")).toEqual({ refused: expect.stringContaining("cycle") });
  expect(linkSteps(draft, "a", "each/in")).toEqual({ refused: expect.stringContaining("loop") });
});

test("a disconnected step does not start until reconnected", () => {
  const stepOf = ({ nodes }: Graph, id: string) => nodes.find((step) => step.id === id);
  const wire = layOut(draft).wires.find(({ id }) => id === "b>each");
  const { after } = done(wire && deleteWire(draft, wire, []));
  expect(stepOf(after, "each")?.start).toBe(false);
  expect(layOut(after).wires.map(({ id }) => id)).not.toContain("*>each");
  expect([...unconnectedKeys(after)]).toEqual(["each"]);
  const again = done(linkSteps(after, "c", "each")).after;
  expect(stepOf(again, "each")).toEqual(stepOf(draft, "each"));
  const fromTrigger = done(linkSteps(after, "*", "each")).after;
  expect(layOut(fromTrigger).wires.map(({ id }) => id)).toContain("*>each");
  // Deleting the first step makes its successor the first step, but not its error handler.
  const risky = {
    ...draft,
    nodes: [{ id: "x", type: "http", onError: "branch" }, ...draft.nodes],
    edges: [
      { from: "x", to: "a" },
      { from: "x", to: "c", when: "error" },
    ],
  } as Definition;
  const left = done(deleteSteps(risky, ["x"])).after;
  expect(left.nodes.filter(({ start }) => start === false).map(({ id }) => id)).toEqual(["c"]);
  const first = layOut(draft).wires.find(({ id }) => id === "*>a");
  expect(stepOf(done(first && deleteWire(draft, first, [])).after, "a")?.start).toBe(false);
});

test("steps are reordered, duplicated, wrapped in a loop and pasted from text", () => {
  expect(lines(done(passNeighbour(draft, "b", 1)).after)).toContain("each>b");
  expect(lines(done(passNeighbour(draft, "b", -1)).after)).toContain("a>b");
  expect(done(duplicateSteps(draft, ["b"])).chosen).toEqual(["b_2"]);
  expect(done(loopOver(draft, ["b"])).chosen).toEqual(["each_2"]);
  const { after, chosen } = done(pasteSteps(draft, toClipboard(draft, ["a", "if"]), "c"));
  expect([chosen, lines(after)]).toEqual([
    ["a_2", "if_2"],
    expect.arrayContaining(["c>a_2", "a_2>if_2"]),
  ]);
  expect(pasteSteps(draft, "not ours", undefined)).toHaveProperty("refused");
});
