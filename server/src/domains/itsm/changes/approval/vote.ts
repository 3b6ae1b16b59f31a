import { authorOf } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { AlreadyVoted, type ChangeRecord, NotApprover, OwnApproval } from "../change.ts";
import { votableSeats } from "./approval.ts";
import { findPrincipals } from "./delegation.ts";
import * as store from "./store.ts";

/** Throws a 403 where the caller requested the change. */
export function assertNotRequester({ caller }: ReadContext, { createdBy }: ChangeRecord): void {
  if (authorOf(caller) === createdBy) throw new Failure(OwnApproval);
}

/** Votes for every seat that the caller may vote for and nobody has voted for; resolves to the vote. */
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

/** Filters the seats that nobody has voted for; throws where there are none. */
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
