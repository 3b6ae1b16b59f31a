import { expect, test } from "vitest";
import { toBody, toChange, toDraft } from "./policy-draft.ts";

test("a policy is sent without empty fields, with its own or a shared calendar", () => {
  const draft = {
    ...toDraft(undefined),
    name: "Fast",
    targets: [
      { metric: "custom" as const, name: "", minutes: 5, startWhen: {}, stopWhen: { state: "x" } },
    ],
  };
  expect(toBody(draft)).toEqual({
    name: "Fast",
    entity: "incident",
    conditions: {},
    targets: [{ metric: "custom", minutes: 5, stopWhen: { state: "x" } }],
    calendar: null,
    pauseOn: ["on_hold"],
    warnAtPercent: 80,
    active: true,
  });
  expect(toChange({ ...draft, calendarId: "bcl_1" })).toMatchObject({ calendarId: "bcl_1" });
  expect(toChange({ ...draft, calendarId: "bcl_1" })).not.toHaveProperty("calendar");
});
