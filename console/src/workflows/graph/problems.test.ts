import { expect, test } from "vitest";
import type { Definition } from "./graph.ts";
import { describeProblem } from "./problem-words.ts";
import { locateProblem, problemsByStep } from "./problems.ts";

const definition = {
  name: "x",
  trigger: { type: "manual" },
  nodes: [
    { id: "call", type: "http", config: {} },
    {
      id: "each",
      type: "loop",
      config: {
        body: {
          nodes: [
            { id: "a", type: "set" },
            { id: "b", type: "set" },
          ],
          edges: [{ from: "b", to: "z" }],
        },
      },
    },
  ],
  edges: [{ from: "call", to: "gone" }],
} as Definition;

test("a problem is assigned to its step and field, also in loops", () => {
  const at = (path: string): unknown[] => {
    const { key, field } = locateProblem(definition, { path, message: "is required" });
    return [key, field];
  };
  expect(at("/nodes/0/config/url")).toEqual(["call", "config/url"]);
  expect(at("/nodes/1/config/body/nodes/1/type")).toEqual(["each/b", "type"]);
  expect(at("/nodes/1/config/items")).toEqual(["each", "config/items"]);
  expect(at("/nodes/1/config/body/edges/0/to")).toEqual(["each/b", ""]);
  expect(at("/edges/0/to")).toEqual(["call", ""]);
  expect(at("/trigger/cron")).toEqual(["*", "cron"]);
  expect(at("/name")).toEqual([undefined, "name"]);
  expect(at("/nodes/9/config")).toEqual([undefined, "nodes/9/config"]);
});

test("shows only the first error on a card and does not show warnings", () => {
  const found = problemsByStep([
    { path: "", key: "a", field: "config/url", message: "is deprecated", severity: "warning" },
    { path: "", key: "a", field: "config/url", message: "is required" },
    { path: "", key: "a", field: "config/x", message: "is unknown" },
  ]);
  expect([...found]).toEqual([["a", "url is required"]]);
});

test("a problem message names its step and field", () => {
  const words = (path: string): string =>
    describeProblem(definition, locateProblem(definition, { path, message: "is required" }));
  expect(words("/nodes/0/config/approvers/0")).toBe("Step “call”, Approvers 1: is required");
  expect(words("/nodes/1/config/body/nodes/1/config/url")).toBe("Step “b”, URL: is required");
  expect(words("/trigger/cron")).toBe("Trigger, Cron: is required");
});
