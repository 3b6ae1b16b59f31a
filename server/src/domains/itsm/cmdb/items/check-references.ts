/** The members and teams referenced by items must exist. */
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { ItemInput } from "./item-change.ts";

/** The existing members and teams among those referenced by items. */
export interface ExistingReferences {
  readonly owners: ReadonlySet<string>;
  readonly teams: ReadonlySet<string>;
}

/** Looks up the members and teams referenced by items. */
export async function findReferences(
  tx: Tx,
  inputs: readonly ItemInput[],
): Promise<ExistingReferences> {
  const owners = referencedIds(inputs, "ownerId");
  const teams = referencedIds(inputs, "teamId");
  const [members, found] = await Promise.all([
    owners.length === 0 ? [] : findMembersByIds(tx, owners),
    teams.length === 0
      ? []
      : tx.selectFrom("teams").select("id").where("id", "in", teams).execute(),
  ]);
  return {
    owners: new Set(members.map(({ id }) => id)),
    teams: new Set(found.map(({ id }) => id)),
  };
}

/** Returns a field error for each member or team that does not exist. */
export function missingReferenceErrors(
  { ownerId, teamId }: ItemInput,
  existing: ExistingReferences,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (typeof ownerId === "string" && !existing.owners.has(ownerId)) {
    errors.push({ path: `${path}/ownerId`, message: "is not the id of an active member" });
  }
  if (typeof teamId === "string" && !existing.teams.has(teamId)) {
    errors.push({ path: `${path}/teamId`, message: "is not the id of a team" });
  }
  return errors;
}

function referencedIds(
  inputs: readonly ItemInput[],
  field: "ownerId" | "teamId",
): readonly string[] {
  const ids = inputs.map((input) => input[field]).filter((id) => typeof id === "string");
  return [...new Set(ids)];
}
