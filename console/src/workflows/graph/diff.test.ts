import { expect, test } from "vitest";
import { compareDefinitions } from "./diff.ts";
import type { Definition, Edge, Step } from "./graph.ts";

const step = (id: string, config: object = {}, type = "set"): Step =>
  ({ id, type, name: id, config }) as Step;
const definition = (nodes: readonly Step[], edges: readonly Edge[]): Definition =>
  ({ name: "W", trigger: { type: "manual" }, nodes, edges }) as Definition;

test("added, removed and changed steps are on one canvas, with their fields side by side", () => {
  const before = definition(
    [step("a", { x: 1, y: { z: 1 } }), step("b"), step("c")],
    [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
    ],
  );
  const after = definition(
    [step("a", { x: 1, y: { z: 2 } }), step("n"), step("c")],
    [
      { from: "a", to: "n" },
      { from: "n", to: "c" },
    ],
  );
  const { union, marks, edges, changes } = compareDefinitions(before, after);
  expect(union.nodes.map(({ id }) => id)).toEqual(["a", "b", "n", "c"]);
  expect(Object.fromEntries(marks)).toEqual({ a: "changed", b: "removed", n: "added" });
  expect([...edges.values()].toSorted()).toEqual(["added", "added", "removed", "removed"]);
  expect(changes.find(({ key }) => key === "a")?.fields).toEqual([
    { path: "config.y.z", before: 1, after: 2 },
  ]);
});

test("a change inside a loop marks the loop, and equal definitions have no changes", () => {
  const loop = (value: number): Step =>
    step("each", { items: "x", body: { nodes: [step("in", { value })], edges: [] } }, "loop");
  const { marks, changes } = compareDefinitions(
    definition([loop(1)], []),
    definition([loop(2)], []),
  );
  expect(Object.fromEntries(marks)).toEqual({ "each/in": "changed", each: "changed" });
  expect(changes.map(({ key }) => key)).toEqual(["each/in"]);
  const same = definition([loop(1)], []);
  expect(compareDefinitions(same, structuredClone(same)).changes).toEqual([]);
});

test("the order of object fields is not a difference, also within lists", () => {
  const triggers = [
    { id: "t", type: "schedule", schedule: { cron: "0 * * * *", timezone: "UTC" } },
  ];
  const stored = [{ schedule: { timezone: "UTC", cron: "0 * * * *" }, type: "schedule", id: "t" }];
  const one = { ...definition([], []), triggers } as unknown as Definition;
  const other = { ...definition([], []), triggers: stored } as unknown as Definition;
  expect(compareDefinitions(one, other).settings).toEqual([]);
  const [, ...none] = stored;
  const less = { ...other, triggers: none } as unknown as Definition;
  expect(compareDefinitions(one, less).settings).toMatchObject([{ path: "triggers" }]);
});
