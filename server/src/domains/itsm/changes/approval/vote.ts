import { findPrincipals } from "#domains/approvals/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { AlreadyVoted, type ChangeRecord, NotApprover, OwnApproval } from "../change.ts";
import { ChangesApprove } from "../permissions.ts";
import { votableSeats } from "./approval.ts";
import * as store from "./store.ts";

/** Throws 403 if the caller requested the change. */
export function assertNotRequester({ caller }: ReadContext, { createdBy }: ChangeRecord): void {
  if (authorOf(caller) === createdBy) throw new Failure(OwnApproval);
}

/** Votes for every open seat that the caller holds. Resolves to the vote. */
export async function castVotes(
  ctx: WriteContext<never>,
  change: ChangeRecord,
  { decision, comment }: Pick<store.Vote, "decision" | "comment">,
) {
  const { tx, now, caller } = ctx;
  const userId = authorOf(caller);
  const [delegates, principals] = await Promise.all([
    store.activeDelegates(tx, change.id),
    findPrincipals(tx, userId, now),
  ]);
  const own = votableSeats(change.approval, userId, { delegates, principals });
  const seats = await findOpenSeats(tx, change, own);
  await store.insertVotes(tx, change, seats, { userId, decision, comment, now });
  return { userId, approverIds: [...seats], comment };
}

/** Reasons why a member cannot vote on a change, by priority. */
export const VOTE_HINDRANCES = [
  "not_submitted",
  "not_permitted",
  "own_change",
  "not_approver",
  "already_voted",
] as const;

/** Finds the reason why the caller cannot vote on a change now. Null if the caller can. */
export async function findVoteHindrance(
  { tx, now, caller }: ReadContext,
  change: ChangeRecord,
): Promise<(typeof VOTE_HINDRANCES)[number] | null> {
  if (change.state !== "submitted") return "not_submitted";
  if (!caller.permissions.has(ChangesApprove.name)) return "not_permitted";
  const userId = authorOf(caller);
  if (userId === change.createdBy) return "own_change";
  const [delegates, principals, voted] = await Promise.all([
    store.activeDelegates(tx, change.id),
    findPrincipals(tx, userId, now),
    store.votedSeats(tx, change),
  ]);
  const own = votableSeats(change.approval, userId, { delegates, principals });
  if (own.length === 0) return "not_approver";
  return own.every((seat) => voted.has(seat)) ? "already_voted" : null;
}

/** Returns the seats without a vote. Throws if none are left. */
export async function findOpenSeats(
  tx: Tx,
  change: ChangeRecord,
  seats: readonly string[],
): Promise<readonly string[]> {
  if (seats.length === 0) throw new Failure(NotApprover);
  const voted = change.state === "submitted" ? await store.votedSeats(tx, change) : new Set();
  const open = seats.filter((seat) => !voted.has(seat));
  if (open.length === 0) throw new Failure(AlreadyVoted);
  return open;
}
