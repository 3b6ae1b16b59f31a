/** References from tickets to members, teams and configuration items. */
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import { missingItems } from "../cmdb/index.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";

/** The members, team and items that an input names; undefined and null name nothing. */
export interface TicketReferences {
  /** Members, by the path of what names them. */
  readonly users?: Readonly<Record<string, string | null | undefined>>;
  readonly teamId?: string | null | undefined;
  readonly ciIds?: readonly string[] | undefined;
}

/** Throws a 422 with the path of each that does not exist. The caller is a member, and not looked up. */
export async function assertReferencesExist(
  { tx, caller }: ReadContext,
  references: TicketReferences,
): Promise<void> {
  const users = Object.entries(references.users ?? {}).flatMap(([path, id]) =>
    typeof id === "string" && id !== caller.principal?.id ? [[path, id] as const] : [],
  );
  const { teamId, ciIds = [] } = references;
  const [members, team, missing] = await Promise.all([
    users.length === 0 ? [] : findMembersByIds(tx, [...new Set(users.map(([, id]) => id))]),
    typeof teamId === "string" ? findTeam(tx, teamId) : undefined,
    missingItems(tx, ciIds),
  ]);
  const known = new Set(members.map(({ id }) => id));
  const errors: FieldError[] = users
    .filter(([, id]) => !known.has(id))
    .map(([path]) => ({ path, message: "is not the id of an active member" }));
  if (typeof teamId === "string" && !team) {
    errors.push({ path: "/teamId", message: "is not the id of a team" });
  }
  for (const id of missing) {
    const path = `/ciIds/${ciIds.indexOf(id)}`;
    errors.push({ path, message: "is not the id of a configuration item" });
  }
  assertNoErrors(errors);
}

/** Finds a team and keeps it from being deleted until the transaction ends. */
function findTeam(tx: ReadContext["tx"], id: string) {
  return tx.selectFrom("teams").select("id").where("id", "=", id).forKeyShare().executeTakeFirst();
}

/** Finds the teams that somebody is in. */
export async function findTeamIds(
  tx: ReadContext["tx"],
  userId: string,
): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom("team_members")
    .select("team_id")
    .where("user_id", "=", userId)
    .execute();
  return rows.map(({ team_id }) => team_id);
}

/** Finds the members of a team. */
export async function findTeamMemberIds(
  tx: ReadContext["tx"],
  teamId: string,
): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom("team_members")
    .select("user_id")
    .where("team_id", "=", teamId)
    .execute();
  return rows.map(({ user_id }) => user_id);
}
