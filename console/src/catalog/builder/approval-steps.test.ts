import { expect, test } from "vitest";
import { approverOf, lacksApprovers, stepsOf, withSteps, wordOf } from "./approval-steps.ts";

const PLAIN = { required: true, approverIds: ["usr_a"], rule: "all" } as const;
const plain = { ...PLAIN, approverIds: [...PLAIN.approverIds] };

test("each kind of approver is converted to a value and back", () => {
  const approvers = ["manager", "usr_a", "tem_b", "rol_c", "agent"].map(approverOf);
  expect(approvers.map(({ kind }) => kind)).toEqual(["manager", "person", "team", "role", "role"]);
  expect(approvers.map(wordOf)).toEqual(["manager", "usr_a", "tem_b", "rol_c", "agent"]);
});

test("a user approval has a single step and is stored without steps", () => {
  const steps = stepsOf(plain);
  expect(steps).toEqual([{ approvers: [{ kind: "person", id: "usr_a" }], rule: "all" }]);
  expect(withSteps(plain, steps)).toEqual({ ...plain, steps: [] });
});

test("a manager, a quorum or a second step is stored as steps", () => {
  const manager = { approvers: [approverOf("manager")], rule: "any" } as const;
  const step = { ...manager, approvers: [...manager.approvers] };
  expect(withSteps(plain, [step])).toEqual({
    required: true,
    approverIds: [],
    rule: "any",
    steps: [step],
  });
  const two = [...stepsOf(plain), step];
  expect(stepsOf(withSteps(plain, two))).toEqual(two);
  expect(withSteps(plain, [{ ...step, rule: "quorum", quorum: 2 }]).steps).toHaveLength(1);
});

test("a second step needs approvers", () => {
  const empty = { approvers: [], rule: "any" as const };
  expect([lacksApprovers([empty]), lacksApprovers([...stepsOf(plain), empty])]).toEqual([
    false,
    true,
  ]);
});
