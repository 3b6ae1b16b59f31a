import { expect, test } from "vitest";
import { type AgentCall, countEvents, listChanges, tellEnd, titleOf } from "./words.ts";

const preview = {
  events: [{ type: "record.updated" }, { type: "record.updated" }, { type: "record.deleted" }],
  eventCount: 3,
  changes: [
    {
      resource: { type: "table", id: "tbl_1" },
      fields: [],
      before: null,
      after: { name: "Orders" },
    },
    { resource: { type: "record", id: "rec_1" }, fields: ["a", "b"], before: {}, after: {} },
    { resource: { type: "catalog_item", id: "cat_1" }, fields: [], before: {}, after: null },
  ],
  leftOut: null,
};

test("a dry run is described as text", () => {
  expect(listChanges({ preview, workflow: null })).toEqual([
    "Creates table Orders",
    "Updates record rec_1: a, b",
    "Deletes catalog item cat_1",
  ]);
  expect(countEvents({ preview })).toBe("record.updated × 2, record.deleted");
});

test("a resource without a comparison is described by its name", () => {
  const resource = { type: "workflow", id: "wf_1", number: null, displayName: "Bill the orders" };
  const events = [{ type: "workflow.published", resource }];
  const told = listChanges({ preview: { ...preview, events, changes: [] }, workflow: null });
  expect(told).toEqual(["Workflow Bill the orders: published"]);

  const workflow = { id: "wf_1", name: "Pay the bills" };
  const unnamed = [{ type: "workflow.run_started", resource: { ...resource, displayName: null } }];
  const call = { preview: { ...preview, events: unnamed, changes: [] }, workflow };
  expect(listChanges(call)).toEqual(["Workflow Pay the bills: run started"]);
  expect(titleOf({ summary: "Start a run", workflow })).toBe("Start a run: Pay the bills");
});

test("the description of a decided call names the approver", () => {
  const call = { decidedBy: { id: "usr_1", name: "Ada" }, outcome: { status: 409, code: "taken" } };
  const end = (status: AgentCall["status"]) => tellEnd({ ...call, status } as AgentCall);
  expect(end("performed")).toBe("Approved by Ada, performed");
  expect(end("failed")).toBe("Approved by Ada, but the call failed (taken)");
  expect(end("expired")).toBe("Expired without a decision");
});
