import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { toTypedCondition } from "#kernel/condition/typed-condition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { unrestrictedField } from "./rule-sql.ts";
import type { TableSchema } from "./table-schema.ts";
import type { Rule } from "../table.ts";

/** The rules of a table with their conditions in canonical form; or what is wrong, below `/rules`. */
export function checkRules(table: TableSchema): {
  readonly rules: Rule[];
  readonly errors: readonly FieldError[];
} {
  const kindOf = (name: string) => unrestrictedField(table, name)?.kind;
  const errors: FieldError[] = [];
  const rules = table.rules.map((rule, index) => {
    const path = `/rules/${index}`;
    for (const [place, field] of (rule.fields ?? []).entries()) {
      if (kindOf(field) === undefined) {
        errors.push({ path: `${path}/fields/${place}`, message: "is not a field of this table" });
      }
    }
    if (rule.where === undefined) return rule;
    const typed = toTypedCondition(rule.where, kindOf, { users: true });
    if ("condition" in typed) return { ...rule, where: typed.condition };
    errors.push(...typed.errors.map((fault) => ({ ...fault, path: `${path}/where${fault.path}` })));
    return rule;
  });
  return { rules, errors };
}

/** The custom roles that rules name. */
export function customRolesOf(rules: readonly Rule[]): string[] {
  const named = new Set(rules.flatMap(({ roles }) => roles));
  return [...named].filter((role) => role !== "*" && !BUILT_IN.has(role));
}

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_ROLES);

/** Rules that name a column, naming it by its new name. */
export function renameInRules(rules: readonly Rule[], from: string, to: string): Rule[] {
  const named = (name: string) => (name === from ? to : name);
  return rules.map((rule) => ({
    ...rule,
    ...(rule.fields && { fields: rule.fields.map(named) }),
    ...(rule.where && { where: renameInCondition(rule.where, named) }),
  }));
}

/** The shapes of conditions were checked when they were saved. */
function renameInCondition(condition: Condition, named: (name: string) => string): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([key, value]) => {
      if (key === "not") return [key, renameInCondition(value as Condition, named)];
      if (key === "and" || key === "or") {
        return [key, (value as readonly Condition[]).map((part) => renameInCondition(part, named))];
      }
      const [name = "", ...words] = key.split(".");
      return [[named(name), ...words].join("."), value];
    }),
  );
}
