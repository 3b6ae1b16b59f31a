import { expect, test } from "vitest";
import catalog from "../../../../contract/events.json";
import operations from "../../../../contract/operations.txt?raw";
import { type Change, isStaleAfter, namespaceOf, type Reading, staleAfter } from "./stale.ts";

test("every event type of the catalogue makes an operation stale, and all named operations exist", () => {
  const types = catalog.events.map(({ type }) => type);
  const silent = new Set(types.filter((type) => staleAfter(type).length === 0).map(namespaceOf));
  expect([...silent]).toEqual([]);
  const prefixes = new Set(types.flatMap(staleAfter));
  expect([...prefixes].filter((prefix) => !operations.includes(`\n${prefix}`))).toEqual([]);
});

test("uses the namespace of a security event as the resource", () => {
  expect(namespaceOf("audit.role.created")).toBe("audit.role");
  expect(namespaceOf("workflow.run_started")).toBe("workflow");
  expect(staleAfter("something.else")).toEqual([]);
});

/** An incident event referencing a parent incident. */
const CHILD_CHANGED: Change = {
  type: "incident.updated",
  kind: "incident",
  names: ["inc_1", "INC0000001"],
  says: (name) => name === "inc_parent",
  fields: ["title", "tags"],
};
const reading = (operation: string, id?: string, shown: readonly string[] = []): Reading => ({
  operation,
  params: id === undefined ? {} : { id },
  shows: (name) => shown.includes(name),
  otherNames: (name) => (name === "INC0000009" ? ["inc_parent"] : []),
});

test("queries about one resource stay fresh when another changes, unless either refers to the other", () => {
  const isStale = (...read: Parameters<typeof reading>) =>
    isStaleAfter(CHILD_CHANGED, reading(...read));
  const stale = [
    isStale("incidents.get", "inc_1"),
    isStale("incidents.get_timeline", "INC0000001"),
    isStale("sla.of_incident", "INC0000001"),
    isStale("incidents.get", "INC0000009"),
    isStale("incidents.list_links", "INC0000002", ["inc_1"]),
    isStale("incidents.list"),
    isStale("tickets.list"),
    isStale("views.count"),
    isStale("tickets.list_tags"),
    isStale("major_incidents.room", "INC0000002"),
  ];
  const kept = [
    isStale("incidents.get", "INC0000002"),
    isStale("incidents.get_timeline", "INC0000002"),
    isStale("sla.of_incident", "INC0000002"),
    isStale("incidents.list_watchers", "INC0000001"),
    isStale("incidents.list_times", "INC0000001"),
    isStale("views.list"),
    isStale("problems.get", "PRB0000001"),
    isStale("home.list_apps"),
  ];
  expect(stale).toEqual(stale.map(() => true));
  expect(kept).toEqual(kept.map(() => false));
  // With too many changes at once, the names are dropped.
  const many = { ...CHILD_CHANGED, names: [] };
  expect(isStaleAfter(many, reading("incidents.get", "INC0000002"))).toBe(true);
});

test("ticket subresources become stale after related events", () => {
  const after = (type: string, operation: string): boolean =>
    isStaleAfter({ ...CHILD_CHANGED, type, fields: [] }, reading(operation, "INC0000001"));
  expect(after("incident.watcher_added", "incidents.list_watchers")).toBe(true);
  expect(after("incident.time_added", "incidents.list_times")).toBe(true);
  expect(after("incident.unlinked", "incidents.list_links")).toBe(true);
  expect(after("incident.merged", "incidents.list_links")).toBe(true);
  expect(after("incident.assigned", "tickets.list_tags")).toBe(false);
});
