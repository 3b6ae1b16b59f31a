import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import { lockRows } from "../ticket-store.ts";
import type { Team } from "./team.ts";

const SELECT = `
  t.id, t.name, t.description, t.created_by as "createdBy", t.created_at as "createdAt",
  t.updated_at as "updatedAt", t.revision,
  array(select m.user_id from team_members m where m.team_id = t.id order by m.user_id)
    as "memberIds"`;

/** Teams by name. */
export const list: ListDefinition = {
  name: "teams",
  from: "teams t",
  select: SELECT,
  fields: {
    name: { sql: "t.name", kind: "text" },
    id: { sql: "t.id", kind: "text" },
    createdAt: { sql: "t.created_at", kind: "time" },
    updatedAt: { sql: "t.updated_at", kind: "time" },
  },
  search: ["t.name", "t.description"],
  order: "name",
  tieBreaker: "id",
};

export function toTeam(row: SqlRow): Team {
  // The select list is that of a team.
  return row as unknown as Team;
}

export async function get(tx: Tx, id: string): Promise<Team> {
  return found(await queryRows(tx, `select ${SELECT} from teams t where t.id = $1`, [id]));
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<Team> {
  return found(await lockRows(tx, { table: "teams t", select: SELECT, where: "t.id = $1" }, id));
}

export async function insert(tx: Tx, team: Team): Promise<void> {
  const { id, name, description, createdBy, createdAt, updatedAt, memberIds } = team;
  const times = { created_at: createdAt, updated_at: updatedAt };
  await tx
    .insertInto("teams")
    .values({ id, name, description, created_by: createdBy, ...times })
    .execute();
  await setMembers(tx, id, memberIds);
}

export async function update(tx: Tx, team: Team): Promise<void> {
  const { id, name, description, updatedAt, memberIds, revision } = team;
  await tx
    .updateTable("teams")
    .set({ name, description, updated_at: updatedAt, revision })
    .where("id", "=", id)
    .execute();
  await tx.deleteFrom("team_members").where("team_id", "=", id).execute();
  await setMembers(tx, id, memberIds);
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("teams").where("id", "=", id).execute();
}

async function setMembers(tx: Tx, id: string, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return;
  const rows = memberIds.map((user_id) => ({ team_id: id, user_id }));
  await tx.insertInto("team_members").values(rows).execute();
}

function found([row]: readonly SqlRow[]): Team {
  if (!row) throw new Failure(NotFound);
  return toTeam(row);
}
