import { expect, test } from "vitest";
import { describeRule, NEW_RULE, ruleFault, toggle } from "./rule-draft.ts";

test("a rule describes what it grants and what is missing", () => {
  expect(describeRule(NEW_RULE, String, String)).toBe("Everybody may see all records.");
  const some = { roles: ["agent"], actions: ["update", "read"], where: { a: 1 }, fields: ["a"] };
  expect(
    describeRule(
      some as never,
      () => "Agents",
      () => "Price €",
    ),
  ).toBe("Agents may see, change some records, of them Price €.");
  expect(ruleFault({ ...NEW_RULE, roles: [] })).toMatch("somebody");
  expect(ruleFault(NEW_RULE)).toBeUndefined();
  expect(toggle(toggle(["a"], "b"), "a")).toEqual(["b"]);
});
