import { expect, test } from "vitest";
import catalog from "../../../../events.json";
import operations from "../../../../operations.txt?raw";
import { namespaceOf, staleAfter } from "./stale.ts";

test("every event of the catalog makes something stale, and what it names is an operation", () => {
  const types = catalog.map(({ type }) => type);
  const silent = new Set(types.filter((type) => staleAfter(type).length === 0).map(namespaceOf));
  expect([...silent]).toEqual([]);
  const prefixes = new Set(types.flatMap(staleAfter));
  expect([...prefixes].filter((prefix) => !operations.includes(`\n${prefix}`))).toEqual([]);
});

test("the namespace of a security event is its resource", () => {
  expect(namespaceOf("audit.role.created")).toBe("audit.role");
  expect(namespaceOf("workflow.run_started")).toBe("workflow");
  expect(staleAfter("something.else")).toEqual([]);
});
