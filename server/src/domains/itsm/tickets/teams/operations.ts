import { authorOf } from "#kernel/access/caller.ts";
import Type from "typebox";
import { diffResource } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { countedPage, created, noContent, item } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../check-references.ts";
import { DeskRead, DeskWrite } from "../settings.ts";
import { ticketKinds } from "../ticket.ts";
import { TeamCreated, TeamDeleted, TeamUpdated } from "./team.ts";
import * as store from "./store.ts";
import { fields, Team, TeamExists, TeamId, TeamInUse } from "./team.ts";

const ById = object({ id: TeamId });
const PATH = "/api/v1/itsm/teams";
const example = { params: { id: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6" } };

export const listTeams = query({
  id: "teams.list",
  route: `GET ${PATH}`,
  summary: "List the teams",
  permission: DeskRead,
  query: object(listQuery),
  response: countedPage(Team),
  run: (ctx, { query: question }) => listPage(ctx, store.list, question, { toItem: store.toTeam }),
});

export const createTeam = command({
  id: "teams.create",
  route: `POST ${PATH}`,
  summary: "Make a team that tickets can be assigned to",
  description: "A team is the same in all environments, as its members are.",
  permission: DeskWrite,
  body: object({
    name: fields.name,
    description: Type.Optional(fields.description),
    memberIds: Type.Optional(fields.memberIds),
  }),
  response: created(Team, { location: ({ id }) => `${PATH}/${id}` }),
  emits: [TeamCreated],
  fails: [TeamExists],
  example: { body: { name: "Network", description: "Everything with a cable", memberIds: [] } },
  async run(ctx, { body: { name, description = "", memberIds = [] } }) {
    await assertMembers(ctx, memberIds);
    const at = ctx.now.toISOString();
    const team = {
      id: newId("tem", ctx.now.getTime()),
      name,
      description,
      memberIds: memberIds.toSorted(),
      createdBy: authorOf(ctx.caller),
      createdAt: at,
      updatedAt: at,
      revision: 1,
    };
    await store.insert(ctx.tx, team);
    ctx.emit(TeamCreated, { id: team.id, displayName: name }, dataOf(team));
    return team;
  },
});

export const getTeam = query({
  id: "teams.get",
  route: `GET ${PATH}/{id}`,
  summary: "Read a team",
  permission: DeskRead,
  params: ById,
  response: item(Team),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updateTeam = command({
  id: "teams.update",
  route: `PATCH ${PATH}/{id}`,
  summary: "Change a team",
  description: "`memberIds` takes the place of all who were in it.",
  permission: DeskWrite,
  params: ById,
  body: patch(fields),
  response: item(Team),
  emits: [TeamUpdated],
  fails: [TeamExists],
  allowNoop: true,
  example: { ...example, body: { name: "Network and telephony" } },
  async run(ctx, { params, body }) {
    const before = await store.lock(ctx.tx, params.id);
    ctx.expectRevision(before.revision);
    const memberIds = (body.memberIds ?? before.memberIds).toSorted();
    // Whoever left the workspace since may stay named.
    await assertMembers(
      ctx,
      (body.memberIds ?? []).filter((id) => !before.memberIds.includes(id)),
    );
    const after = { ...before, ...body, memberIds };
    const { changes } = diffResource(before, after);
    if (changes.length === 0) return before;
    const updated = { ...after, updatedAt: ctx.now.toISOString(), revision: before.revision + 1 };
    await store.update(ctx.tx, updated);
    const told = { id: updated.id, displayName: updated.name };
    ctx.emit(TeamUpdated, told, diffResource(dataOf(before), dataOf(updated)));
    return updated;
  },
});

export const deleteTeam = command({
  id: "teams.delete",
  route: `DELETE ${PATH}/{id}`,
  summary: "Delete a team that has no open tickets",
  permission: DeskWrite,
  params: ById,
  response: noContent(),
  emits: [TeamDeleted],
  fails: [TeamInUse],
  example,
  async run(ctx, { params }) {
    const team = await store.lock(ctx.tx, params.id);
    ctx.expectRevision(team.revision);
    if (await hasOpenTickets(ctx, ctx.workspace.key, team.id)) throw new Failure(TeamInUse);
    await store.remove(ctx.tx, team.id);
    ctx.emit(TeamDeleted, { id: team.id, displayName: team.name }, dataOf(team));
  },
});

const ENVIRONMENTS = ["production", "staging", "development"] as const;

/** In whichever environment: a team is the same in all of them. */
async function hasOpenTickets(
  { tx, services, caller, switchPartition: enter }: WriteContext<never>,
  workspace: string,
  teamId: string,
): Promise<boolean> {
  let found = 0;
  for (const environment of ENVIRONMENTS) {
    enter({ workspace, environment });
    for (const { table, machine } of ticketKinds(services)) {
      const text = `select from ${table} where team_id = $1 and state <> all($2::text[]) limit 1`;
      found += (await queryRows(tx, text, [teamId, machine.finalStates])).length;
    }
  }
  enter({ workspace, environment: caller.environment });
  return found > 0;
}

/** A team as events tell of it. */
function dataOf({ revision: _, ...data }: Team) {
  return data;
}

function assertMembers(ctx: ReadContext, ids: readonly string[]): Promise<void> {
  const users = Object.fromEntries(ids.map((id, index) => [`/memberIds/${index}`, id]));
  return assertReferencesExist(ctx, { users });
}
