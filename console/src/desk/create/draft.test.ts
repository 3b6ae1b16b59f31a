import { expect, test } from "vitest";
import { EMPTY, findGaps, toBody } from "./draft.ts";

const draft = { ...EMPTY, title: " No tone ", callerId: "usr_1", teamId: "tem_1", itemId: "cit_1" };

test("each kind of ticket is created with its own fields", () => {
  expect(toBody("incident", draft)).toEqual({
    title: "No tone",
    description: "",
    teamId: "tem_1",
    impact: 3,
    urgency: 3,
    callerId: "usr_1",
  });
  expect(toBody("request", { ...draft, values: { model: "X1" } })).toEqual({
    itemId: "cit_1",
    values: { model: "X1" },
    requestedFor: "usr_1",
  });
  expect(toBody("problem", { ...draft, fields: { floor: "3" } })).toMatchObject({
    priority: 3,
    fields: { floor: "3" },
  });
  expect(toBody("change", draft)).not.toHaveProperty("callerId");
});

test("missing values are reported at their field", () => {
  expect(findGaps("incident", EMPTY)).toHaveProperty("title");
  expect(findGaps("request", EMPTY)).toHaveProperty("itemId");
  expect(findGaps("request", draft)).toEqual({});
});
