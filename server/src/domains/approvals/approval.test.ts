import { expect, test } from "vitest";
import {
  addDecision,
  type ApprovalRecord,
  beginStep,
  currentStep,
  endApproval,
  findAsked,
  findInvolved,
  findVoices,
  isUnstaffed,
  settleStep,
  toWaitingStep,
  withStep,
} from "./approval.ts";
import type { ApprovalStep } from "./approver.ts";

const AT = "2026-03-04T05:06:07.000Z";
const person = (id: string) => ({ kind: "person" as const, id });
const step = (more: Partial<ApprovalStep> = {}): ApprovalStep => ({
  approvers: [person("a"), person("b")],
  rule: "any",
  ...more,
});

function open(
  steps: readonly ApprovalStep[],
  seats: readonly (readonly string[])[],
): ApprovalRecord {
  const approval: ApprovalRecord = {
    id: "apr_1",
    subjectKind: "request",
    subjectId: "req_1",
    state: "pending",
    requesterIds: ["me"],
    managedId: "me",
    fallback: "requests:work",
    steps: steps.map(toWaitingStep),
    position: 0,
    expiresAt: null,
    remindAfterHours: null,
    reminders: 0,
    remindedAt: null,
    createdAt: AT,
    endedAt: null,
  };
  return beginStep(approval, seats, AT);
}

const decider = (
  userId: string,
  standsInFor: readonly string[] = [],
  ...permissions: string[]
) => ({
  userId,
  standsInFor: new Set(standsInFor),
  permissions: new Set(permissions),
});

/** Adds the decision of a member who can decide; throws otherwise. */
function decide(approval: ApprovalRecord, by: ReturnType<typeof decider>, approved = true) {
  const voices = findVoices(approval, by);
  if (typeof voices === "string") throw new Error(voices);
  return addDecision(approval, { userId: by.userId, approved, comment: null, at: AT, voices });
}

test("one approval is enough; a requester and a member who is not asked cannot decide", () => {
  const approval = open([step()], [["a"], ["b"]]);
  expect(findAsked(approval)).toEqual(["a", "b"]);
  expect(findVoices(approval, decider("me", ["a"], "requests:work"))).toBe("own");
  expect(findVoices(approval, decider("w", [], "requests:work"))).toBe("not_asked");
  const { approval: after, outcome } = decide(approval, decider("b"));
  expect([outcome, after.state, after.endedAt, findAsked(after)]).toEqual([
    "approved",
    "approved",
    AT,
    [],
  ]);
});

test("rule all: every seat needs an approval from a seat member", () => {
  const rule = { rule: "all" } as const;
  const first = decide(open([step(rule)], [["a"], ["b", "c"]]), decider("b"));
  expect([first.outcome, findAsked(first.approval)]).toEqual(["waits", ["a"]]);
  expect(findVoices(first.approval, decider("b"))).toBe("decided");
  // Another member already decided for this seat.
  expect(findVoices(first.approval, decider("c"))).toBe("decided");
  expect(decide(first.approval, decider("a")).outcome).toBe("approved");
});

test("a quorum counts users and can't exceed the number of approvers", () => {
  const rule = { rule: "quorum", quorum: 2 } as const;
  const first = decide(open([step(rule)], [["a", "b", "c"]]), decider("a"));
  expect(first.outcome).toBe("waits");
  expect(decide(first.approval, decider("c")).outcome).toBe("approved");
  const alone = withStep(first.approval, { ...currentStep(first.approval), seats: [["a"]] });
  expect(settleStep(alone, AT).outcome).toBe("approved");
});

test("a delegate decides for all delegators at once, and the decision records the delegators", () => {
  const approval = open([step({ rule: "all" })], [["a"], ["b"]]);
  const { approval: after, outcome } = decide(approval, decider("d", ["a", "b"]));
  expect(outcome).toBe("approved");
  expect(currentStep(after).decisions).toMatchObject([{ userId: "d", insteadOf: ["a", "b"] }]);
  expect(findInvolved(after)).toEqual(["a", "b", "d"]);
  const half = decide(approval, decider("a", ["b"]));
  expect([half.outcome, currentStep(half.approval).decisions[0]?.insteadOf]).toEqual([
    "approved",
    ["b"],
  ]);
});

test("one rejection rejects the approval and skips later steps", () => {
  const two = open([step({ rule: "all" }), step()], [["a"], ["b"]]);
  const { approval, outcome } = decide(two, decider("a"), false);
  expect([outcome, approval.state]).toEqual(["rejected", "rejected"]);
  expect(approval.steps.map(({ state }) => state)).toEqual(["rejected", "skipped"]);
});

test("the next step starts when the previous step is approved", () => {
  const two = open([step(), step({ approvers: [person("c")] })], [["a"], ["b"]]);
  const { approval, outcome } = decide(two, decider("a"));
  expect([outcome, approval.state, approval.position]).toEqual(["next", "pending", 1]);
  const begun = beginStep(approval, [["c"]], AT);
  expect([findAsked(begun), findInvolved(begun)]).toEqual([["c"], ["a", "b", "c"]]);
  expect(findVoices(begun, decider("a"))).toBe("not_asked");
  expect(decide(begun, decider("c")).outcome).toBe("approved");
});

test("if no approver is left, one member with the fallback permission decides", () => {
  const approval = open([step({ rule: "all" })], [[], []]);
  expect([isUnstaffed(currentStep(approval)), findAsked(approval)]).toEqual([true, []]);
  expect(findVoices(approval, decider("x"))).toBe("not_asked");
  expect(decide(approval, decider("w", [], "requests:work")).outcome).toBe("approved");
});

test("approvers who left the workspace do not count; their earlier decisions do", () => {
  const { approval } = decide(open([step({ rule: "all" })], [["a"], ["b"]]), decider("a"));
  const left = withStep(approval, { ...currentStep(approval), seats: [["a"], []] });
  expect(settleStep(left, AT).outcome).toBe("approved");
  const undecided = open([step()], [[], []]);
  expect(settleStep(undecided, AT).outcome).toBe("waits");
});

test("a withdrawn or expired approval has no open approvers", () => {
  for (const state of ["withdrawn", "expired"] as const) {
    const { approval } = endApproval(open([step()], [["a"]]), state, AT);
    expect([approval.state, findAsked(approval), approval.steps[0]?.state]).toEqual([
      state,
      [],
      "skipped",
    ]);
  }
});
