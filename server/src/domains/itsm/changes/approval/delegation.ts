import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, Time } from "#kernel/schema/schema.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";

/** A delegation: somebody votes in an approver's stead for a time. */
export const Delegation = Type.Object(
  {
    userId: id("usr", "Whose votes"),
    toUserId: id("usr", "Who gives them too"),
    from: Time,
    to: Time,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "ChangeDelegation" },
);
type DelegationData = Static<typeof Delegation>;
export type Delegation = DelegationData & { readonly revision: number };

/** The delegation in the data of events. */
export function delegationEventData({ revision: _, ...delegation }: Delegation): DelegationData {
  return delegation;
}

const about = { resource: "change_delegation", data: Delegation };

export const DelegationSet = event("change_delegation.set", {
  ...about,
  summary: "An approver named who votes in their stead for a time.",
});
export const DelegationEnded = event("change_delegation.ended", {
  ...about,
  summary: "An approver took back that somebody votes in their stead.",
});

const COLUMNS = `
  user_id as "userId", to_user_id as "toUserId", starts_at as from, ends_at as to, revision,
  created_at as "createdAt", updated_at as "updatedAt"`;
const RECEIVED_MAX = 200;

/** Finds the delegation that somebody gave. */
export async function findGiven(
  tx: Tx,
  userId: string,
  lock = "",
): Promise<Delegation | undefined> {
  const text = `select ${COLUMNS} from change_delegations where user_id = $1${lock}`;
  const [row] = await queryRows(tx, text, [userId]);
  return row && toDelegation(row);
}

/** Locks the row until the transaction ends. */
export function lockGiven(tx: Tx, userId: string): Promise<Delegation | undefined> {
  return findGiven(tx, userId, " for update");
}

/** Lists the delegations that somebody received. */
export async function listReceived(tx: Tx, userId: string): Promise<Delegation[]> {
  const text = `
    select ${COLUMNS} from change_delegations where to_user_id = $1
     order by starts_at, user_id limit ${RECEIVED_MAX}`;
  return (await queryRows(tx, text, [userId])).map(toDelegation);
}

/** Finds the approvers in whose stead somebody votes at a moment. */
export async function findPrincipals(
  tx: Tx,
  userId: string,
  moment: Date,
): Promise<ReadonlySet<string>> {
  const text = `
    select user_id from change_delegations
     where to_user_id = $1 and starts_at <= $2 and ends_at > $2`;
  const rows = await queryRows(tx, text, [userId, moment]);
  return new Set(rows.map((row) => String(row["user_id"])));
}

export async function upsert(tx: Tx, delegation: Delegation): Promise<void> {
  const { userId, toUserId, from, to, revision, createdAt, updatedAt } = delegation;
  const changing = {
    to_user_id: toUserId,
    starts_at: from,
    ends_at: to,
    revision,
    updated_at: updatedAt,
  };
  await tx
    .insertInto("change_delegations")
    .values({ user_id: userId, created_at: createdAt, ...changing })
    .onConflict((conflict) => conflict.columns(["workspace_id", "user_id"]).doUpdateSet(changing))
    .execute();
}

export async function remove(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("change_delegations").where("user_id", "=", userId).execute();
}

/** A row of the columns above, which are the fields. */
function toDelegation(row: SqlRow): Delegation {
  return row as unknown as Delegation;
}
