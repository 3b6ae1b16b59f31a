import type { Rule } from "./rule-words.ts";

/** An assignment rule as it is edited. */
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

/** What is edited of a rule: it is also what a trial of it asks for. */
export const toRuleDraft = (rule: Rule): RuleDraft => {
  const { name, entity, position, conditions, on, method, teamId, userIds, scheduleId, active } =
    rule;
  return { name, entity, position, conditions, on, method, teamId, userIds, scheduleId, active };
};

/** A rule as it begins. */
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
