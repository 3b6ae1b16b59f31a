/** Describes an assignment rule in one sentence. */
import type { Schemas } from "../../data/api.ts";
import { toConditionWords } from "../../sla/index.ts";
import { count, toWords } from "../../ui/words.ts";

export type Rule = Schemas["ListedAssignmentRule"];
type Said = Pick<Rule, "entity" | "conditions" | "method" | "teamId" | "userIds" | "scheduleId">;

/** Returns a sentence such as "Incidents with category network are assigned round robin to members of Network." */
export function toRuleSentence(
  rule: Said,
  nameOf: (id: string | null | undefined) => string | undefined,
): string {
  const which =
    Object.keys(rule.conditions).length === 0 ? "" : ` with ${toConditionWords(rule.conditions)}`;
  return `${toWords(rule.entity)}s${which} are assigned ${toWhom(rule, nameOf)}.`;
}

function toWhom({ method, teamId, userIds, scheduleId }: Said, nameOf: NameOf): string {
  const team = nameOf(teamId) ?? "a team";
  const from =
    userIds.length > 0 ? count(userIds.length, "person", "people") : `members of ${team}`;
  switch (method) {
    case "round_robin":
      return `round robin to ${from}`;
    case "least_load":
      return `to the one with the fewest open tickets of ${from}`;
    case "fixed":
      return `to ${userIds.map((id) => nameOf(id) ?? "a former member").join(", otherwise ") || "a person (not selected yet)"}`;
    case "on_call":
      return `to the member on call in ${scheduleId === null ? "a schedule" : (nameOf(scheduleId) ?? "the schedule")}`;
    case "team":
      return `to ${team}, without an assignee`;
  }
}

type NameOf = Parameters<typeof toRuleSentence>[1];
