import { expect, test } from "vitest";
import { draftOf, fillFrom, toBody } from "./change-draft.ts";

const template = {
  id: "ctp_1",
  name: "Restart",
  title: "Restart the shop",
  impact: 2,
  justification: "It hangs",
  implementationPlan: "1. Restart",
  testPlan: "Look",
  rollbackPlan: "None",
} as Parameters<typeof fillFrom>[1];

test("a template fills empty fields and sets the fixed ones, and later edits do not change these", () => {
  const filled = fillFrom({ ...draftOf(undefined), title: "Mine" }, template);
  expect(filled).toMatchObject({
    title: "Mine",
    type: "standard",
    implementationPlan: "1. Restart",
  });
  expect(toBody(filled)).not.toHaveProperty("implementationPlan");
  expect(toBody(filled)).not.toHaveProperty("approval");
  expect(toBody(fillFrom(filled, undefined))).toMatchObject({ type: "normal", impact: 2 });
});

test("the number of required votes is at most the number of named approvers", () => {
  const draft = {
    ...draftOf(undefined),
    title: " A ",
    approvals: 4,
    approverIds: ["usr_1", "usr_2"],
  };
  expect(toBody(draft)).toMatchObject({
    title: "A",
    approval: { rule: "count", value: 2 },
    plannedStart: null,
  });
});
