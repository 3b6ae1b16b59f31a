import { expect, test } from "vitest";
import type { Definition } from "../graph/graph.ts";
import { pointerOfStep, problemsOfStep } from "./problems.ts";

const body = { nodes: [{ id: "charge", type: "http" }], edges: [] };
const DEFINITION: Definition = {
  name: "Orders",
  trigger: { type: "manual" },
  nodes: [
    { id: "read", type: "set" },
    { id: "each", type: "loop", config: { body } },
  ],
  edges: [],
};
const PROBLEMS = [
  { path: "/nodes/1/config/items", message: "is required" },
  { path: "/nodes/1/config/body/nodes/0/config/url", message: "is no address" },
  { path: "/trigger/cron", message: "must be a time" },
];

test("problems are assigned to their step, also in loop bodies", () => {
  const at = (key: string | undefined) =>
    problemsOfStep(DEFINITION, key, PROBLEMS).map(({ path }) => path);
  expect(at("each")).toEqual(["/config/items"]);
  expect(at("each/charge")).toEqual(["/config/url"]);
  expect(at(undefined)).toEqual(["/cron"]);
  expect(at("gone")).toEqual([]);
  expect(pointerOfStep(DEFINITION, "each/charge")).toBe("/nodes/1/config/body/nodes/0");
});
