import type { Rule } from "./rule-words.ts";

/** An assignment rule while the user edits it. */
export type RuleDraft = Pick<
  Rule,
  | "name"
  | "entity"
  | "position"
  | "conditions"
  | "on"
  | "method"
  | "teamId"
  | "userIds"
  | "scheduleId"
  | "active"
>;

/** Returns the editable rule fields. Also used by simulations. */
export const toRuleDraft = (rule: Rule): RuleDraft => {
  const { name, entity, position, conditions, on, method, teamId, userIds, scheduleId, active } =
    rule;
  return { name, entity, position, conditions, on, method, teamId, userIds, scheduleId, active };
};

/** The initial values of a new rule. */
export const newRule = (position: number): RuleDraft => ({
  name: "",
  entity: "incident",
  position,
  conditions: {},
  on: ["created"],
  method: "round_robin",
  teamId: null,
  userIds: [],
  scheduleId: null,
  active: true,
});
