import { expect, test } from "vitest";
import type { Caller } from "#kernel/access/caller.ts";
import {
  applyRequestTransition,
  type CatalogRequest,
  canSeeRequests,
  requestMachine,
} from "./request.ts";

const AT = "2026-03-04T05:06:07.000Z";
const request: CatalogRequest = {
  id: "req_01jzt3n5k8q2x4v6w8y0z2b4d6",
  number: "REQ0000001",
  itemId: "cat_01jzt3n5k8q2x4v6w8y0z2b4d6",
  title: "Laptop",
  description: "",
  state: "awaiting_approval",
  values: {},
  requestedFor: "usr_them",
  assigneeId: null,
  teamId: null,
  ciIds: [],
  approval: { required: true, approverIds: ["usr_a", "usr_b"], rule: "all", decisions: [] },
  workflowId: null,
  runId: null,
  output: null,
  reason: null,
  notes: null,
  approvedAt: null,
  endedAt: null,
  createdBy: "usr_me",
  createdAt: AT,
  updatedAt: AT,
  revision: 1,
};

/** The target state of each action by state. All other transitions are invalid. */
const TRANSITIONS: Record<string, Record<string, string>> = {
  submitted: { request_approval: "awaiting_approval", pass: "approved", cancel: "cancelled" },
  awaiting_approval: { approve: "approved", reject: "rejected", cancel: "cancelled" },
  approved: { start: "fulfilling", cancel: "cancelled" },
  fulfilling: { fulfil: "fulfilled", fail: "failed", cancel: "cancelled" },
  failed: { retry: "fulfilling" },
};
const ACTIONS = [...new Set(requestMachine.transitions.map(({ action }) => action))];

test("each action is a transition of the table, and fails in every other state", () => {
  for (const state of requestMachine.states) {
    for (const action of ACTIONS) {
      const to = TRANSITIONS[state]?.[action];
      const act = () => applyRequestTransition({ ...request, state }, action, { at: AT });
      if (to === undefined) {
        expect(act, `${state} ${action}`).toThrow(
          expect.objectContaining({
            type: expect.objectContaining({ code: "request_wrong_state", status: 409 }),
          }),
        );
        continue;
      }
      const ended = ["rejected", "fulfilled", "failed", "cancelled"].includes(to);
      expect(act(), `${state} ${action}`).toMatchObject({ state: to, endedAt: ended ? AT : null });
    }
  }
});

const caller = (id: string, ...permissions: string[]) =>
  ({ principal: { id, roles: [] }, permissions: new Set(permissions) }) as unknown as Caller;
test("a request is visible to its requesters, its approvers and members with read permission", () => {
  const parties = { ...request, approverIds: request.approval.approverIds };
  const seenBy = ["usr_me", "usr_them", "usr_a", "usr_w"].filter((id) =>
    canSeeRequests(caller(id), parties),
  );
  expect(seenBy).toEqual(["usr_me", "usr_them", "usr_a"]);
  expect(canSeeRequests(caller("usr_w", "requests:read"), parties)).toBe(true);
  expect(canSeeRequests(caller("usr_w", "requests:work"), parties)).toBe(true);
});
