import { expect, test } from "vitest";
import { toRehearsal } from "./rehearsal.ts";

const resource = { type: "role", id: "rol_1", displayName: "Clerk" };

test("a dry run lists the effect on each resource", () => {
  const plan = toRehearsal<{ kept: [] }>({
    answer: { status: 200, body: { data: { kept: [] } } },
    events: [{ type: "role.created", resource }],
    changes: [
      { resource, fields: ["name"], before: null, after: { name: "Clerk" } },
      { resource: { type: "table", id: "tbl_1" }, fields: ["name"], before: {}, after: {} },
      { resource: { type: "pack", id: "p" }, fields: [], before: null, after: {} },
    ],
  });
  expect(plan.answer).toEqual({ kept: [] });
  expect(plan.refusal).toBeUndefined();
  expect(plan.changes).toEqual([
    { kind: "role", id: "rol_1", name: "Clerk", act: "create", fields: ["name"] },
    { kind: "table", id: "tbl_1", name: "tbl_1", act: "update", fields: ["name"] },
  ]);
});

test("an error is shown with the server's message", () => {
  const answer = { status: 409, body: { detail: "It is there already." } };
  expect(toRehearsal({ answer, events: [], changes: [] })).toMatchObject({
    answer: null,
    refusal: "It is there already.",
  });
});
