import { expect, test } from "vitest";
import { isCompletedBy, isFirstRun } from "./welcome.ts";

const person = (name: string, ...roles: string[]) => ({ user: { name }, roles });
const seen = { intent: "looking", steps: [], done: [] };

test("only the first owner sees the welcome, and only once", () => {
  expect(isFirstRun(person("Administrator", "owner"), undefined)).toBe(true);
  expect(isFirstRun(person("Administrator", "owner"), seen)).toBe(false);
  expect(isFirstRun(person("Ada", "owner"), undefined)).toBe(false);
  expect(isFirstRun(person("Administrator", "viewer"), undefined)).toBe(false);
  expect(isFirstRun(undefined, undefined)).toBe(false);
});

const decide = {
  label: "Decide",
  to: "/approvals",
  doneBy: { event: "workflow.run_resumed", data: { workflowId: "wf_1" } },
};

test("a step with an event is completed by that event of that workflow, and not by opening its page", () => {
  const resumed = (workflowId: string) => ({ type: "workflow.run_resumed", data: { workflowId } });
  expect(isCompletedBy(decide, { path: "/approvals" })).toBe(false);
  expect(isCompletedBy(decide, { event: resumed("wf_2") })).toBe(false);
  expect(isCompletedBy(decide, { event: { type: "workflow.run_resumed" } })).toBe(false);
  expect(isCompletedBy(decide, { event: resumed("wf_1") })).toBe(true);
});

test("a step without an event is completed by visiting its path, a guide only by opening it", () => {
  const look = { label: "Look", to: "/runs?status=failed", doneBy: { visit: "/runs/run_" } };
  expect(isCompletedBy(look, { path: "/runs" })).toBe(false);
  expect(isCompletedBy(look, { path: "/runs/run_1" })).toBe(true);
  expect(isCompletedBy({ label: "See", to: "/workflows?x=1" }, { path: "/workflows" })).toBe(true);
  const guide = { label: "Read", to: "/guide/tables", isPage: true };
  expect(isCompletedBy(guide, { path: "/guide/tables" })).toBe(false);
});
