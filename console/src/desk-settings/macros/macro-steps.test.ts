import { expect, test } from "vitest";
import { moveStep, newStep, type Step, toSentStep, toSummary } from "./macro-steps.ts";

const nameOf = (id: string): string | undefined => (id === "tem_1" ? "Network" : undefined);

test("a macro is described in one sentence", () => {
  const steps: readonly Step[] = [
    { act: "take" },
    { act: "set", set: { teamId: "tem_1" } },
    { act: "tag", add: ["vip"], remove: ["new"] },
    { act: "comment", body: "Hello", internal: true },
    { act: "hold" },
  ];
  expect(toSummary(steps, nameOf)).toBe(
    "Assign to me, assign to Network, tag +vip −new, internal note, put on hold",
  );
});

test("steps are reordered, and sent without empty texts", () => {
  const steps = [newStep("take"), newStep("close")];
  expect(moveStep(steps, 1, -1).map(({ act }) => act)).toEqual(["close", "take"]);
  expect(moveStep(steps, 0, -1)).toBe(steps);
  expect(toSentStep(newStep("hold"))).toEqual({ act: "hold" });
});
