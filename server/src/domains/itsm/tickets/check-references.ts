/** References of tickets to members, contacts, teams and configuration items. */
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import { findContacts } from "../contacts/index.ts";
import { missingItems } from "../cmdb/index.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";

/** The referenced people, team and items. Undefined and null are ignored. */
export interface TicketReferences {
  /** Members by reference path. */
  readonly users?: Readonly<Record<string, string | null | undefined>>;
  /** Members or contacts by reference path. */
  readonly people?: Readonly<Record<string, string | null | undefined>>;
  readonly teamId?: string | null | undefined;
  readonly ciIds?: readonly string[] | undefined;
}

/** Throws 422 with the path of each reference that does not exist. The caller is a member and not looked up. */
export async function assertReferencesExist(
  { tx, caller }: ReadContext,
  references: TicketReferences,
): Promise<void> {
  const named = Object.entries({ ...references.users, ...references.people }).flatMap(
    ([path, id]) =>
      typeof id === "string" && id !== caller.principal?.id ? [[path, id] as const] : [],
  );
  const { teamId, ciIds = [] } = references;
  const userIds = [...new Set(named.map(([, id]) => id).filter((id) => !isContact(id)))];
  const contactIds = named.map(([, id]) => id).filter(isContact);
  const [members, contacts, team, missing] = await Promise.all([
    userIds.length === 0 ? [] : findMembersByIds(tx, userIds),
    findContacts(tx, contactIds),
    typeof teamId === "string" ? findTeam(tx, teamId) : undefined,
    missingItems(tx, ciIds),
  ]);
  const known = new Set([...members, ...contacts].map(({ id }) => id));
  const errors: FieldError[] = named
    .filter(([, id]) => !known.has(id))
    .map(([path, id]) => ({
      path,
      message: `is not the id of ${isContact(id) ? "a contact" : "an active member"}`,
    }));
  if (typeof teamId === "string" && !team) {
    errors.push({ path: "/teamId", message: "is not the id of a team" });
  }
  for (const id of missing) {
    const path = `/ciIds/${ciIds.indexOf(id)}`;
    errors.push({ path, message: "is not the id of a configuration item" });
  }
  assertNoErrors(errors);
}

function isContact(id: string): boolean {
  return id.startsWith("cnt_");
}

/** Finds a team and prevents deleting it until the transaction ends. */
function findTeam(tx: ReadContext["tx"], id: string) {
  return tx.selectFrom("teams").select("id").where("id", "=", id).forKeyShare().executeTakeFirst();
}

/** Finds the teams of a member. */
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
