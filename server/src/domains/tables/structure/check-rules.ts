import { typedCondition } from "#kernel/condition/typed-condition.ts";
import type { Fault } from "#kernel/operation/failure.ts";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import type { KnownTable } from "../table-schema.ts";
import { plain } from "../rules/rule-sql.ts";
import type { Rule } from "../table.ts";

/** The rules of a table with their conditions in canonical form; or what is wrong, below `/rules`. */
export function checkRules(table: KnownTable): {
  readonly rules: Rule[];
  readonly faults: readonly Fault[];
} {
  const kindOf = (name: string) => plain(table, name)?.kind;
  const faults: Fault[] = [];
  const checked = table.rules.map((rule, index) => {
    const path = `/rules/${index}`;
    for (const [place, field] of (rule.fields ?? []).entries()) {
      if (kindOf(field) === undefined) {
        faults.push({ path: `${path}/fields/${place}`, message: "is not a field of this table" });
      }
    }
    if (rule.where === undefined) return rule;
    const typed = typedCondition(rule.where, kindOf, { users: true });
    if ("condition" in typed) return { ...rule, where: typed.condition };
    faults.push(...typed.faults.map((fault) => ({ ...fault, path: `${path}/where${fault.path}` })));
    return rule;
  });
  return { rules: checked, faults };
}

/** The custom roles that rules name. */
export function customRolesOf(rules: readonly Rule[]): string[] {
  const named = new Set(rules.flatMap(({ roles }) => roles));
  return [...named].filter((role) => role !== "*" && !BUILT_IN.has(role));
}

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_ROLES);
