import { expect, test } from "vitest";
import type { Definition } from "../../graph/graph.ts";
import { NO_RUN } from "../../graph/run-view.ts";
import { listSources, toItemKey } from "./sources.ts";

const DEFINITION: Definition = {
  name: "Orders",
  trigger: { type: "manual" },
  nodes: [
    { id: "read", type: "set", name: "Read" },
    { id: "rates", type: "set" },
    {
      id: "each",
      type: "loop",
      name: "Each order",
      config: {
        as: "order",
        body: {
          nodes: [
            { id: "price", type: "transform" },
            { id: "charge", type: "http" },
          ],
          edges: [{ from: "price", to: "charge" }],
        },
      },
    },
  ],
  edges: [
    { from: "read", to: "rates" },
    { from: "rates", to: "each" },
  ],
};

test("sources are ordered from the nearest step, with pinned values before those of the run", () => {
  const step = { id: "each", input: { items: [{ n: 1 }, { n: 2 }] } };
  const sources = listSources({
    definition: DEFINITION,
    key: "each/charge",
    run: { ...NO_RUN, steps: new Map([["each", step as never]]) },
    pins: { read: { pinned: true } },
    trigger: { input: 1 },
    items: new Map([["each", 1]]),
  });
  expect(sources.map(({ path, value }) => [path, value])).toEqual([
    ["steps.price.output", undefined],
    ["order", { n: 2 }],
    ["steps.rates.output", undefined],
    ["steps.read.output", { pinned: true }],
    ["trigger", { input: 1 }],
  ]);
});

test("a step's label contains the selected loop items", () => {
  expect(toItemKey("each/lines/charge", new Map([["each", 3]]))).toBe("each[3].lines.charge");
  expect(toItemKey("charge", new Map())).toBe("charge");
});
