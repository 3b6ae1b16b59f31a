/** Whom items name must be there. */
import { membersWithIds } from "#domains/identity/accounts/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { ItemInput } from "./item-change.ts";

/** Who can be named: members and teams, of those that somebody asked about. */
export interface ExistingReferences {
  readonly owners: ReadonlySet<string>;
  readonly teams: ReadonlySet<string>;
}

/** Looks up all whom some items name. */
export async function findReferences(
  tx: Tx,
  all: readonly ItemInput[],
): Promise<ExistingReferences> {
  const owners = named(all, "ownerId");
  const teams = named(all, "teamId");
  const [members, found] = await Promise.all([
    owners.length === 0 ? [] : membersWithIds(tx, owners),
    teams.length === 0
      ? []
      : tx.selectFrom("teams").select("id").where("id", "in", teams).execute(),
  ]);
  return {
    owners: new Set(members.map(({ id }) => id)),
    teams: new Set(found.map(({ id }) => id)),
  };
}

/** A fault for each whom an item names and who is not there. */
export function missingReferenceErrors(
  { ownerId, teamId }: ItemInput,
  known: ExistingReferences,
  path: string,
): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (typeof ownerId === "string" && !known.owners.has(ownerId)) {
    faults.push({ path: `${path}/ownerId`, message: "is not the id of an active member" });
  }
  if (typeof teamId === "string" && !known.teams.has(teamId)) {
    faults.push({ path: `${path}/teamId`, message: "is not the id of a team" });
  }
  return faults;
}

function named(all: readonly ItemInput[], field: "ownerId" | "teamId"): readonly string[] {
  const ids = all.map((given) => given[field]).filter((id) => typeof id === "string");
  return [...new Set(ids)];
}
