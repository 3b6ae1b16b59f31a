import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../check-references.ts";
import { DeskRead, DeskWrite } from "../settings.ts";
import { ticketKinds } from "../ticket.ts";

const MEMBERS_MAX = 500;
const ENVIRONMENTS = ["production", "staging", "development"] as const;

/** The editable fields. */
const teamFields = {
  name: line(100),
  description: text(2_000),
  memberIds: Type.Array(id("usr"), {
    maxItems: MEMBERS_MAX,
    uniqueItems: true,
    description: "Members of the team",
  }),
};

const Team = Type.Object(
  { id: id("tem"), ...teamFields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "Team" },
);

const TeamExists = failure("team_exists", 409, "Another team has this name.", "teams_name");
const TeamInUse = failure(
  "team_in_use",
  409,
  "Open tickets are assigned to the team. Assign them to another team first.",
);

/** Teams are shared by all environments, like their members. */
export const teams = resource({
  name: "team",
  plural: "teams",
  effect: "ordinary",
  path: "/api/v1/itsm/teams",
  table: "teams",
  idPrefix: "tem",
  schema: Team,
  computed: {
    memberIds:
      "array(select m.user_id from team_members m where m.team_id = teams.id order by m.user_id)",
  },
  input: object({ ...patch(teamFields).properties, name: teamFields.name }),
  change: patch(teamFields),
  defaults: { description: "", memberIds: [] },
  permissions: { read: DeskRead, write: DeskWrite },
  list: { order: "name", search: ["name", "description"] },
  unique: TeamExists,
  async check(ctx, { memberIds, ...input }, before) {
    if (!memberIds) return input;
    // Members who have left the workspace since can remain.
    const paths = memberIds.map((userId, index) => [`/memberIds/${index}`, userId] as const);
    const added = paths.filter(([, userId]) => !before?.memberIds.includes(userId));
    await assertReferencesExist(ctx, { users: Object.fromEntries(added) });
    return { ...input, memberIds: memberIds.toSorted() };
  },
  async afterWrite({ tx }, { id: teamId, memberIds }, before) {
    if (before?.memberIds.join() !== memberIds.join()) await setMembers(tx, teamId, memberIds);
  },
  async beforeDelete(ctx, team) {
    if (await hasOpenTickets(ctx, ctx.workspace.key, team.id)) throw new Failure(TeamInUse);
  },
  operations: {
    create: {
      summary: "Create a team",
      description: "Teams are the same in all environments, like members.",
    },
    update: { description: "`memberIds` replaces all members of the team." },
    delete: { summary: "Delete a team without open tickets", fails: [TeamInUse] },
  },
  docs: {
    noun: "a team",
    nouns: "the teams",
    events: {
      created: "A team was created.",
      updated: "The name or the members of a team were changed.",
    },
    examples: {
      id: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { name: "Network", description: "Network cables and switches", memberIds: [] },
      change: { name: "Network and phones" },
    },
  },
});

async function setMembers(tx: Tx, teamId: string, memberIds: readonly string[]): Promise<void> {
  await tx.deleteFrom("team_members").where("team_id", "=", teamId).execute();
  if (memberIds.length === 0) return;
  const rows = memberIds.map((user_id) => ({ team_id: teamId, user_id }));
  await tx.insertInto("team_members").values(rows).execute();
}

/** True when a team has open tickets in any environment. */
async function hasOpenTickets(
  { tx, services, caller, switchPartition }: WriteContext<never>,
  workspace: string,
  teamId: string,
): Promise<boolean> {
  let count = 0;
  for (const environment of ENVIRONMENTS) {
    switchPartition({ workspace, environment });
    for (const { table, machine } of ticketKinds(services)) {
      const query = `select from ${table} where team_id = $1 and state <> all($2::text[]) limit 1`;
      count += (await queryRows(tx, query, [teamId, machine.finalStates])).length;
    }
  }
  switchPartition({ workspace, environment: caller.environment });
  return count > 0;
}
