import { expect, test } from "vitest";
import { describeRule, NEW_RULE, ruleFault, toggle } from "./rule-draft.ts";

test("describes granted and missing permissions of a rule", () => {
  expect(describeRule(NEW_RULE, String, String)).toBe("Everyone can view all records.");
  const some = { roles: ["agent"], actions: ["update", "read"], where: { a: 1 }, fields: ["a"] };
  expect(
    describeRule(
      some as never,
      () => "Agents",
      () => "Price €",
    ),
  ).toBe("Agents can view, update some records, only the fields Price €.");
  expect(ruleFault({ ...NEW_RULE, roles: [] })).toMatch("at least one role");
  expect(ruleFault(NEW_RULE)).toBeUndefined();
  expect(toggle(toggle(["a"], "b"), "a")).toEqual(["b"]);
});
