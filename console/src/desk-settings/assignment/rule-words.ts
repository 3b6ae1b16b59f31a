/** Describes an assignment rule in one sentence. */
import type { Schemas } from "../../data/api.ts";
import { toConditionWords } from "../../sla/index.ts";
import { count, toWords } from "../../ui/words.ts";

export type Rule = Schemas["ListedAssignmentRule"];
type Said = Pick<Rule, "entity" | "conditions" | "method" | "teamId" | "userIds" | "scheduleId">;

/** Returns a sentence such as "Incidents with category network go in turn to the members of Network." */
export function toRuleSentence(
  rule: Said,
  nameOf: (id: string | null | undefined) => string | undefined,
): string {
  const which =
    Object.keys(rule.conditions).length === 0 ? "" : ` with ${toConditionWords(rule.conditions)}`;
  return `${toWords(rule.entity)}s${which} go ${toWhom(rule, nameOf)}.`;
}

function toWhom({ method, teamId, userIds, scheduleId }: Said, nameOf: NameOf): string {
  const team = nameOf(teamId) ?? "a team";
  const from =
    userIds.length > 0 ? count(userIds.length, "person", "people") : `members of ${team}`;
  switch (method) {
    case "round_robin":
      return `in turn to ${from}`;
    case "least_load":
      return `to whom of ${from} has the fewest open`;
    case "fixed":
      return `to ${userIds.map((id) => nameOf(id) ?? "somebody").join(", else ") || "nobody yet"}`;
    case "on_call":
      return `to whoever ${scheduleId === null ? "a schedule" : (nameOf(scheduleId) ?? "the schedule")} has on call`;
    case "team":
      return `to ${team}, for anybody to take`;
  }
}

type NameOf = Parameters<typeof toRuleSentence>[1];
