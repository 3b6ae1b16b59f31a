import { changeEvent, event } from "#kernel/log/event.ts";
import { Team } from "../../tickets/teams/team.ts";

const about = { resource: "team", data: Team };

export const TeamCreated = event("team.created", { ...about, summary: "A team was made." });
export const TeamUpdated = changeEvent("team.updated", {
  ...about,
  summary: "A team was changed: its name, or who is in it.",
});
export const TeamDeleted = event("team.deleted", { ...about, summary: "A team was deleted." });
