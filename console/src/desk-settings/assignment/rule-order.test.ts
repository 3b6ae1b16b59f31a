import { expect, test } from "vitest";
import { moveRule } from "./rule-order.ts";

const apply = (rules: readonly { id: string; position: number }[], id: string, by: number) => {
  const changes = new Map(moveRule(rules, id, by).map((one) => [one.id, one.position]));
  return rules
    .map((rule) => ({ ...rule, position: changes.get(rule.id) ?? rule.position }))
    .toSorted((left, right) => left.position - right.position)
    .map((rule) => rule.id)
    .join("");
};

test("a rule moves with one write if there is a free position, otherwise all rules are renumbered", () => {
  const wide = [10, 20, 30].map((position, n) => ({ id: "abc"[n] ?? "", position }));
  const tight = [100, 100, 100].map((position, n) => ({ id: "abc"[n] ?? "", position }));
  expect(moveRule(wide, "c", -1)).toEqual([{ id: "c", position: 15 }]);
  for (const rules of [wide, tight]) {
    expect(apply(rules, "c", -1)).toBe("acb");
    expect(apply(rules, "a", 2)).toBe("bca");
    expect(apply(rules, "b", -1)).toBe("bac");
    expect(moveRule(rules, "a", -1)).toEqual([]);
  }
});
