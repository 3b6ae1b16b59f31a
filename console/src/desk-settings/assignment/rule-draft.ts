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
