import { expect, test } from "vitest";
import type { Schemas } from "../../../data/api.ts";
import { compareDefinitions } from "../../graph/diff.ts";
import { toDefinition } from "./definition.ts";

test("a deployed workflow without changes equals its version, because trigger addresses are not compared", () => {
  const version = {
    name: "Orders",
    trigger: { type: "webhook" },
    triggers: [{ id: "form", type: "form", title: "Order" }],
    nodes: [],
    edges: [],
  };
  const shown = {
    ...version,
    trigger: { ...version.trigger, url: "https://example.com/hooks/1" },
    triggers: version.triggers.map((one) => ({ ...one, url: "https://example.com/forms/1" })),
  };
  const [stored, live] = [version, shown].map((one) =>
    toDefinition(one as unknown as Schemas["Workflow"]),
  );
  expect(live).toEqual(stored);
  expect(compareDefinitions(stored!, live!).settings).toEqual([]);
});
