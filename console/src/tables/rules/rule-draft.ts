/** Edits the access rules of a table. */
import { TABLE_RULE_ACTIONS } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import type { Schemas } from "../../data/api.ts";

export type Rule = Schemas["TableRule"];
export type Action = Rule["actions"][number];

export const ACTIONS = choicesOf(TABLE_RULE_ACTIONS, {
  read: "View",
  create: "Create",
  update: "Update",
  delete: "Delete",
});

export const NEW_RULE: Rule = { roles: ["*"], actions: ["read"] };

/** Adds a value to a list, or removes it. */
export function toggle<T>(list: readonly T[], one: T): readonly T[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}

/** Returns why a rule can't be saved; undefined if it can. */
export function ruleFault({ roles, actions, fields }: Rule): string | undefined {
  if (roles.length === 0) return "Select at least one role or person.";
  if (actions.length === 0) return "Select at least one action.";
  return fields?.length === 0 ? "Select at least one field, or select all fields." : undefined;
}

export function describeRule(
  rule: Rule,
  nameOf: (role: string) => string,
  titleOf: (field: string) => string,
): string {
  const people = rule.roles.map((role) => (role === "*" ? "Everyone" : nameOf(role))).join(", ");
  const acts = ACTIONS.filter(([action]) => rule.actions.includes(action))
    .map(([, word]) => word.toLowerCase())
    .join(", ");
  const isSome = rule.where !== undefined && Object.keys(rule.where).length > 0;
  const fields = rule.fields ? `, only the fields ${rule.fields.map(titleOf).join(", ")}` : "";
  return `${people} can ${acts} ${isSome ? "some records" : "all records"}${fields}.`;
}
