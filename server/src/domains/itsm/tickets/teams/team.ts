import Type, { type Static } from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, text, Time } from "#kernel/schema/schema.ts";

const MEMBERS_MAX = 500;

export const TeamId = id("tem");

/** What people decide of a team. */
export const fields = {
  name: line(100),
  description: text(2_000),
  memberIds: Type.Array(id("usr"), {
    maxItems: MEMBERS_MAX,
    uniqueItems: true,
    description: "Members of the workspace",
  }),
};

export const Team = Type.Object(
  { id: TeamId, ...fields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "Team" },
);
export type Team = Static<typeof Team> & { readonly revision: number };

export const TeamExists = failure("team_exists", 409, "Another team has this name.", "teams_name");
export const TeamInUse = failure(
  "team_in_use",
  409,
  "Open tickets are assigned to the team; give them to another one first.",
);

const about = { resource: "team", data: Team };

export const TeamCreated = event("team.created", { ...about, summary: "A team was made." });
export const TeamUpdated = changeEvent("team.updated", {
  ...about,
  summary: "A team was changed: its name, or who is in it.",
});
export const TeamDeleted = event("team.deleted", { ...about, summary: "A team was deleted." });
