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

test("a template fills what is empty and decides what it is bound to; nothing takes that back", () => {
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

test("it never takes more votes than there are people who were named", () => {
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
