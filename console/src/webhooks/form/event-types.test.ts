import { expect, test } from "vitest";
import { groupTypes, takes, togglePattern } from "./event-types.ts";

const TYPES = ["incident.resolved", "incident.created", "audit.role.created", "table.created"].map(
  (type) => ({ type, summary: `About ${type}` }),
);

test("types are grouped by namespace, and search words find them", () => {
  expect(groupTypes(TYPES, "").map(({ namespace }) => namespace)).toEqual([
    "audit.role",
    "incident",
    "table",
  ]);
  expect(groupTypes(TYPES, "created incident")[0]?.types.map(({ type }) => type)).toEqual([
    "incident.created",
  ]);
});

test("a pattern matches its types and replaces them", () => {
  expect(takes("incident.*", "incident.created")).toBe(true);
  expect(takes("incident.*", "incidents.created")).toBe(false);
  expect(takes("*", "table.created")).toBe(true);
  expect(togglePattern(["incident.created", "table.created"], "incident.*")).toEqual([
    "table.created",
    "incident.*",
  ]);
  expect(togglePattern(["incident.*"], "incident.*")).toEqual([]);
});
