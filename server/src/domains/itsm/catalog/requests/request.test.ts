import { expect, test } from "vitest";
import type { Caller } from "#kernel/access/caller.ts";
import {
  applyRequestTransition,
  assertMayDecide,
  type CatalogRequest,
  canSeeRequests,
  addDecision,
  isApproved,
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

/** Where each action leads from each state; what is not here leads nowhere. */
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
const decision = (userId: string) => ({ userId, approved: true, comment: null, at: AT });

test("approvers decide once, and never on their own requests", () => {
  const both = new Set(["usr_a", "usr_b"]);
  expect(assertMayDecide(request, caller("usr_a"), both)).toBe("usr_a");
  const refused = (of: CatalogRequest, by: Caller, present: ReadonlySet<string> = both) => {
    try {
      return assertMayDecide(of, by, present);
    } catch (error) {
      return (error as any).type.code;
    }
  };
  const worker = caller("usr_w", "requests:work");
  expect(refused(request, worker)).toBe("not_a_request_approver");
  for (const own of ["usr_me", "usr_them"]) {
    expect(refused(request, caller(own, "requests:work"), new Set([own]))).toBe("own_request");
  }
  const once = addDecision(request, decision("usr_a"));
  expect(refused(once, caller("usr_a"))).toBe("request_already_decided");
  // Nobody was named, or whoever was has left.
  expect(refused(request, worker, new Set())).toBe("usr_w");
  const plain = caller("usr_a", "requests:submit");
  expect(refused(request, plain, new Set())).toBe("not_a_request_approver");
});

test("a request is approved by all approvers who are still members, or by any", () => {
  const both = new Set(["usr_a", "usr_b"]);
  const first = addDecision(request, decision("usr_a"));
  expect(isApproved(first, both)).toBe(false);
  const second = addDecision(first, decision("usr_b"));
  expect(second.approval.decisions).toMatchObject([{ userId: "usr_a" }, { userId: "usr_b" }]);
  expect(isApproved(second, both)).toBe(true);
  expect(isApproved(first, new Set(["usr_a"]))).toBe(true);
  const any = { ...first, approval: { ...first.approval, rule: "any" as const } };
  expect(isApproved(any, both)).toBe(true);
});

test("a request is visible to its requesters, its approvers and those who may read all", () => {
  const parties = { ...request, approverIds: request.approval.approverIds };
  const seenBy = ["usr_me", "usr_them", "usr_a", "usr_w"].filter((id) =>
    canSeeRequests(caller(id), parties),
  );
  expect(seenBy).toEqual(["usr_me", "usr_them", "usr_a"]);
  expect(canSeeRequests(caller("usr_w", "requests:read"), parties)).toBe(true);
  expect(canSeeRequests(caller("usr_w", "requests:work"), parties)).toBe(true);
});
