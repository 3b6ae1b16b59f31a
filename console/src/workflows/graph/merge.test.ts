import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connectSteps, connectionError, insertSteps, removeSteps, replaceStep } from "./edit.ts";
import {
  type Definition,
  type Edge,
  findStep,
  freeId,
  type Graph,
  type Step,
  walkSteps,
} from "./graph.ts";
import { isEqual, mergeDefinitions } from "./merge.ts";

const step = (id: string, n = 0): Step => ({
  id,
  type: "set",
  name: id,
  config: { values: { n } },
});
const chain = (...ids: readonly string[]): Definition =>
  ({
    name: "Orders",
    trigger: { type: "manual" },
    nodes: ids.map((id) => step(id)),
    edges: ids.slice(1).map((to, n) => ({ from: ids[n], to })),
  }) as Definition;
const lines = ({ edges }: Graph): string[] =>
  edges.map(({ from, to, when }) => `${from}${when === undefined ? "" : `[${when}]`}>${to}`);
const add = (root: Definition, id: string, after: string): Definition =>
  insertSteps(root, { nodes: [step(id)], edges: [] }, { place: "", after });

describe("merging the changes of two users to one definition", () => {
  const base = chain("a", "b", "c");

  test("keeps both changes if they affect different steps", () => {
    const mine = replaceStep(base, "a", step("a", 1));
    const theirs = { ...replaceStep(base, "c", step("c", 2)), name: "Invoices" };
    const { definition, conflicts } = mergeDefinitions({ base, mine, theirs });
    expect(conflicts).toEqual([]);
    expect(definition.name).toBe("Invoices");
    expect(definition.nodes.map(({ config }) => config)).toMatchObject([
      { values: { n: 1 } },
      { values: { n: 0 } },
      { values: { n: 2 } },
    ]);
  });

  test("is a conflict if both users changed one step, and the user's choice resolves it", () => {
    const mine = replaceStep(base, "b", step("b", 1));
    const theirs = replaceStep(base, "b", step("b", 2));
    const first = mergeDefinitions({ base, mine, theirs });
    expect(first.conflicts).toMatchObject([{ key: "b", kind: "step", side: "mine" }]);
    const { definition } = mergeDefinitions({ base, mine, theirs }, new Map([["b", "theirs"]]));
    expect(findStep(definition, "b")).toEqual(step("b", 2));
  });

  test("keeps a step by default if one side changed it and the other side removed it", () => {
    const mine = removeSteps(base, ["b"]);
    const theirs = replaceStep(base, "b", step("b", 2));
    const kept = mergeDefinitions({ base, mine, theirs });
    expect(kept.conflicts).toMatchObject([{ key: "b", mine: undefined, side: "theirs" }]);
    expect(findStep(kept.definition, "b")).toEqual(step("b", 2));
    const { definition } = mergeDefinitions({ base, mine, theirs }, new Map([["b", "mine"]]));
    expect([findStep(definition, "b"), lines(definition)]).toEqual([undefined, ["a>c"]]);
  });

  test("connects a new step to the predecessor of the step that the other user removed", () => {
    const mine = removeSteps(base, ["b"]);
    const theirs = add(base, "x", "b");
    const { definition, conflicts } = mergeDefinitions({ base, mine, theirs });
    expect(conflicts).toEqual([]);
    expect(lines(definition).toSorted()).toEqual(["a>c", "a>x", "x>c"]);
  });

  test("keeps both steps if both users added one with the same id, and updates references", () => {
    const mine = replaceStep(add(base, "new", "a"), "b", {
      ...step("b"),
      config: { values: { n: "{{ steps.new.output }}" } },
    });
    const theirs = replaceStep(add(base, "new", "b"), "new", step("new", 9));
    const { definition, conflicts } = mergeDefinitions({ base, mine, theirs });
    expect(conflicts).toEqual([]);
    expect(findStep(definition, "new")).toEqual(step("new", 9));
    expect(lines(definition).toSorted()).toEqual(["a>new_2", "b>new", "new>c", "new_2>b"]);
    expect(findStep(definition, "b")?.config).toEqual({
      values: { n: "{{ steps.new_2.output }}" },
    });
  });

  test("creates no cycle if both users moved the same steps in opposite directions", () => {
    const start = { ...chain("r", "a"), nodes: ["r", "a", "b"].map((id) => step(id)) };
    const fork = connectSteps(start as Definition, "", { from: "r", to: "b" });
    const mine = {
      ...fork,
      edges: [
        { from: "r", to: "a" },
        { from: "a", to: "b" },
      ],
    };
    const theirs = {
      ...fork,
      edges: [
        { from: "r", to: "b" },
        { from: "b", to: "a" },
      ],
    };
    const { definition } = mergeDefinitions({ base: fork, mine, theirs });
    expect(lines(definition)).toEqual(["b>a", "r>b"]);
  });

  test("merges loop steps separately", () => {
    const loop = (n: number, ids: readonly string[], items = "[1]"): Definition => ({
      ...chain(),
      nodes: [
        {
          id: "each",
          type: "loop",
          config: { items, body: { nodes: ids.map((id) => step(id, n)), edges: [] } },
        },
      ],
    });
    const { definition, conflicts } = mergeDefinitions({
      base: loop(0, ["a"]),
      mine: loop(0, ["a", "b"]),
      theirs: loop(0, ["a"], "[2]"),
    });
    expect(conflicts).toEqual([]);
    expect(definition).toEqual(loop(0, ["a", "b"], "[2]"));
  });
});

/**
 * Realistic random edits: each selects a step by number, so that any list of edits can be applied to any
 * definition.
 */
type Play = readonly [kind: number, at: number, to: number];
const plays = fc.array(fc.tuple(fc.nat(3), fc.nat(20), fc.nat(20)), { maxLength: 8 });

function play(root: Definition, acts: readonly Play[], name: string): Definition {
  let result = root;
  for (const [n, [kind, at, to]] of acts.entries()) {
    const { nodes } = result;
    const one = nodes[at % Math.max(1, nodes.length)];
    const other = nodes[to % Math.max(1, nodes.length)];
    if (!one || !other) continue;
    if (kind === 0) result = add(result, freeId(result, `${name}_${n % 2}`), one.id);
    if (kind === 1) result = removeSteps(result, [one.id]);
    if (kind === 2) result = replaceStep(result, one.id, { ...one, name: `${name} ${n}` });
    const edge: Edge = { from: one.id, to: other.id };
    if (kind === 3 && connectionError(result, edge) === undefined) {
      result = connectSteps(result, "", edge);
    }
  }
  return result;
}

const heads = ({ nodes, edges }: Graph): Set<string> =>
  new Set(nodes.flatMap(({ id }) => (edges.some(({ to }) => to === id) ? [] : [id])));

function sourcesOf({ edges }: Graph, id: string): Set<string> {
  const found = new Set<string>();
  const pending = [id];
  for (let to = pending.pop(); to !== undefined; to = pending.pop()) {
    for (const { from } of edges.filter((edge) => edge.to === to)) {
      if (!found.has(from)) pending.push(from);
      found.add(from);
    }
  }
  return found;
}

function isRound({ nodes, edges }: Graph): boolean {
  const left = new Set(nodes.map(({ id }) => id));
  for (let size = -1; size !== left.size;) {
    size = left.size;
    for (const id of left) {
      if (!edges.some(({ from, to }) => to === id && left.has(from))) left.delete(id);
    }
  }
  return left.size > 0;
}

const RUNS = fc.readConfigureGlobal().numRuns ?? 100;
const base = chain("a", "b", "c", "d", "e");

test("a merge does not lose changes, create cycles or start other steps", () => {
  fc.assert(
    fc.property(plays, plays, (first, second) => {
      const mine = play(base, first, "mine");
      const theirs = play(base, second, "theirs");
      const { definition, conflicts } = mergeDefinitions({ base, mine, theirs });
      const ids = new Set(definition.nodes.map(({ id }) => id));
      expect(ids.size).toBe(definition.nodes.length);
      for (const { from, to } of definition.edges) {
        expect([ids.has(from), ids.has(to)]).toEqual([true, true]);
      }
      expect(isRound(definition)).toBe(false);
      const disputed = new Set(conflicts.map(({ key }) => key));
      for (const side of [mine, theirs]) {
        const other = side === mine ? theirs : mine;
        for (const [key, own] of walkSteps(side)) {
          const old = findStep(base, key);
          const isMine = !isEqual(own, old);
          if (isMine && !disputed.has(key)) expect(definition.nodes).toContainEqual(own);
          if (!isMine && findStep(other, key)) expect(ids.has(key)).toBe(true);
        }
      }
      const asked = new Set([...heads(mine), ...heads(theirs)]);
      const unasked = [...heads(definition)].filter((id) => !asked.has(id));
      // Steps whose predecessors were all removed by the other user may start.
      const followed = unasked.filter((id) =>
        [mine, theirs].some((side) => [...sourcesOf(side, id)].some((from) => ids.has(from))),
      );
      expect(followed).toEqual([]);
    }),
    { numRuns: 4 * RUNS },
  );
});

test("uses the changed side if only one side changed, and merges equal changes", () => {
  fc.assert(
    fc.property(plays, (acts) => {
      const edited = play(base, acts, "mine");
      for (const [mine, theirs] of [
        [edited, base],
        [base, edited],
        [edited, structuredClone(edited)],
      ] as const) {
        const { definition, conflicts } = mergeDefinitions({ base, mine, theirs });
        expect([definition, conflicts]).toEqual([edited, []]);
      }
    }),
    { numRuns: 2 * RUNS },
  );
});
