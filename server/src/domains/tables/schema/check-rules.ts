import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { toTypedCondition } from "#kernel/condition/typed-condition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { RelatedTables } from "./field-type.ts";
import { rulePathKind } from "./rule-path.ts";
import { storedField } from "./stored-field.ts";
import type { TableSchema } from "./table-schema.ts";
import type { Rule } from "../table.ts";

/**
 * The rules of a table with conditions in canonical form, and their errors below `/rules`. Paths lead to related
 * tables.
 */
export function checkRules(
  table: TableSchema,
  related: RelatedTables,
): {
  readonly rules: Rule[];
  readonly errors: readonly FieldError[];
} {
  const storedKind = (name: string) => storedField(table, name)?.kind;
  const kindOf = (name: string) => storedKind(name) ?? rulePathKind(table, name, related);
  const errors: FieldError[] = [];
  const rules = table.rules.map((rule, index) => {
    const path = `/rules/${index}`;
    for (const [position, field] of (rule.fields ?? []).entries()) {
      if (storedKind(field) === undefined && !table.computed.has(field)) {
        errors.push({
          path: `${path}/fields/${position}`,
          message: "is not a field of this table",
        });
      }
    }
    if (rule.where === undefined) return rule;
    const typed = toTypedCondition(rule.where, kindOf, { users: true });
    if ("condition" in typed) return { ...rule, where: typed.condition };
    errors.push(...typed.errors.map((error) => ({ ...error, path: `${path}/where${error.path}` })));
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

/** Renames a column in rules. */
export function renameInRules(rules: readonly Rule[], from: string, to: string): Rule[] {
  const rename = (name: string) => (name === from ? to : name);
  return rules.map((rule) => ({
    ...rule,
    ...(rule.fields && { fields: rule.fields.map(rename) }),
    ...(rule.where && { where: renameInCondition(rule.where, rename) }),
  }));
}

/** Renames columns in a condition, whose shape was checked when it was saved. */
export function renameInCondition(
  condition: Condition,
  rename: (name: string) => string,
): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([key, value]) => {
      if (key === "not") return [key, renameInCondition(value as Condition, rename)];
      if (key === "and" || key === "or") {
        return [
          key,
          (value as readonly Condition[]).map((part) => renameInCondition(part, rename)),
        ];
      }
      const [name = "", ...words] = key.split(".");
      return [[rename(name), ...words].join("."), value];
    }),
  );
}
