import type { Condition } from "#kernel/condition/condition.ts";
import type { Rule } from "../table.ts";

/** Rules that name a column, naming it by its new name. */
export function renamedInRules(rules: readonly Rule[], from: string, to: string): Rule[] {
  const named = (name: string) => (name === from ? to : name);
  return rules.map((rule) => ({
    ...rule,
    ...(rule.fields && { fields: rule.fields.map(named) }),
    ...(rule.where && { where: renamedIn(rule.where, named) }),
  }));
}

/** The shapes of conditions were checked when they were saved. */
function renamedIn(condition: Condition, named: (name: string) => string): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([key, value]) => {
      if (key === "not") return [key, renamedIn(value as Condition, named)];
      if (key === "and" || key === "or") {
        return [key, (value as readonly Condition[]).map((part) => renamedIn(part, named))];
      }
      const [name = "", ...words] = key.split(".");
      return [[named(name), ...words].join("."), value];
    }),
  );
}
