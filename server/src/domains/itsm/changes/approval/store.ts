import type { Tx } from "#kernel/db/connection.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ChangeRecord } from "../change.ts";

const VOTES_MAX = 500;

/** A vote for one seat. */
export interface Vote {
  readonly id: string;
  readonly round: number;
  readonly approverId: string;
  readonly userId: string;
  readonly decision: "approved" | "rejected";
  readonly comment: string;
  readonly createdAt: string;
}

/** Lists the votes on a change, newest first. */
export async function listVotes(tx: Tx, changeId: string): Promise<Vote[]> {
  const rows = await tx
    .selectFrom("change_votes")
    .select(["id", "round", "approver_id", "user_id", "decision", "comment", "created_at"])
    .where("change_id", "=", changeId)
    .orderBy("round", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(VOTES_MAX)
    .execute();
  return rows.map(({ approver_id, user_id, decision, created_at, ...row }) => ({
    ...row,
    approverId: approver_id,
    userId: user_id,
    // A check constraint guarantees the value.
    decision: decision as Vote["decision"],
    createdAt: created_at,
  }));
}

/** Reads the seats with a vote since the last submission of a change. */
export async function votedSeats(
  tx: Tx,
  { id, round }: Pick<ChangeRecord, "id" | "round">,
): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom("change_votes")
    .select("approver_id")
    .where("change_id", "=", id)
    .where("round", "=", round)
    .execute();
  return new Set(rows.map(({ approver_id }) => approver_id));
}

export async function insertVotes(
  tx: Tx,
  { id, round }: Pick<ChangeRecord, "id" | "round">,
  seats: readonly string[],
  vote: Pick<Vote, "userId" | "decision" | "comment"> & { readonly now: Date },
): Promise<void> {
  const { userId, decision, comment, now } = vote;
  const rows = seats.map((approver_id) => ({
    id: newId("chv", now.getTime()),
    change_id: id,
    round,
    approver_id,
    user_id: userId,
    decision,
    comment,
    created_at: now,
  }));
  await tx.insertInto("change_votes").values(rows).execute();
}

/** Reads the delegates of seats on a change, by seat. */
export async function activeDelegates(
  tx: Tx,
  changeId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx
    .selectFrom("change_proxies")
    .select(["approver_id", "user_id"])
    .where("change_id", "=", changeId)
    .execute();
  return new Map(rows.map(({ approver_id, user_id }) => [approver_id, user_id]));
}

/** Removes the delegations of seats on a change. */
export async function removeDelegates(
  tx: Tx,
  changeId: string,
  seats: readonly string[],
): Promise<void> {
  if (seats.length === 0) return;
  await tx
    .deleteFrom("change_proxies")
    .where("change_id", "=", changeId)
    .where("approver_id", "in", seats)
    .execute();
}

export async function setDelegate(
  tx: Tx,
  changeId: string,
  seats: readonly string[],
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<void> {
  const rows = seats.map((approver_id) => ({
    change_id: changeId,
    approver_id,
    user_id: userId,
    created_at: now,
  }));
  await tx
    .insertInto("change_proxies")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["workspace_id", "environment", "change_id", "approver_id"])
        .doUpdateSet({ user_id: userId, created_at: now }),
    )
    .execute();
}
