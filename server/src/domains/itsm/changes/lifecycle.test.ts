import { expect, test } from "vitest";
import { Failure } from "#kernel/operation/failure.ts";
import { actionsIn, nextState } from "../tickets/index.ts";
import { assertEditable, changeMachine, type ChangeState } from "./lifecycle.ts";

test("the state machine allows these transitions and no other", () => {
  const ways = changeMachine.states.map((state) => [
    state,
    Object.fromEntries(
      actionsIn(changeMachine, state).map((action) => [
        action,
        nextState(changeMachine, state, action),
      ]),
    ),
  ]);
  expect(Object.fromEntries(ways)).toEqual({
    draft: { submit: "submitted", cancel: "cancelled" },
    submitted: { approve: "approved", reject: "rejected", cancel: "cancelled" },
    approved: { implement: "implementing", cancel: "cancelled" },
    rejected: { revise: "draft", cancel: "cancelled" },
    implementing: { complete: "completed", rollback: "rolled_back" },
    completed: { rollback: "rolled_back" },
    rolled_back: {},
    cancelled: {},
  });
});

test("an invalid transition fails with the allowed actions", () => {
  expect(() => nextState(changeMachine, "submitted", "implement")).toThrow(
    expect.objectContaining({
      type: expect.objectContaining({ code: "change_wrong_state", status: 409 }),
      particulars: expect.objectContaining({
        extra: { state: "submitted", allowed: ["approve", "reject", "cancel"] },
      }),
    }),
  );
});

test("after submission only the window is editable until work begins, and the assignment until the end", () => {
  const editable = (field: string) =>
    changeMachine.states.filter((state: ChangeState) => {
      try {
        assertEditable(state, [field]);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
        return false;
      }
    });
  expect(editable("implementationPlan")).toEqual(["draft", "rejected"]);
  expect(editable("ciIds")).toEqual(["draft", "rejected"]);
  expect(editable("plannedEnd")).toEqual(["draft", "submitted", "approved", "rejected"]);
  const open = ["draft", "submitted", "approved", "rejected", "implementing"];
  expect(editable("assigneeId")).toEqual(open);
});
