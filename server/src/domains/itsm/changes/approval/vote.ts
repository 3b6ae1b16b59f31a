import type { Tx } from "#kernel/db/connection.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { assertReferencesExist, nextState, invalidTransition } from "../../tickets/index.ts";
import {
  AlreadyVoted,
  type ChangeRecord,
  changeEventData,
  NotApprover,
  OwnApproval,
  authorIdOf,
  changeRef,
} from "../change.ts";
import type { ApprovalGiven, ChangeApproved, ChangeDelegated, ChangeRejected } from "../events.ts";
import * as events from "../events.ts";
import { changeMachine } from "../lifecycle.ts";
import { assertMayApprove } from "../service.ts";
import * as changes from "../store.ts";
import { seatHolder, requiredApprovals, seatsOf } from "./approval.ts";
import { standsInFor } from "./delegation.ts";
import * as store from "./store.ts";

/** Approves for every seat that the caller has; the one that makes it enough approves the change. */
export async function approve(
  ctx: WriteContext<typeof ApprovalGiven | typeof ChangeApproved>,
  ref: string,
  comment: string,
): Promise<ChangeRecord> {
  const { tx, now } = ctx;
  const { before, userId, seats } = await ballot(ctx, ref, "approve");
  await store.insertVotes(tx, before, seats, { userId, decision: "approved", comment, now });
  const approvalsGiven = before.approvalsGiven + seats.length;
  const isEnough = approvalsGiven >= requiredApprovals(before.type, before.approval);
  const decided = isEnough && {
    state: nextState(changeMachine, before.state, "approve"),
    approvedAt: now.toISOString(),
  };
  const after = await changes.save(tx, before, { ...before, approvalsGiven, ...decided }, now);
  const vote = { userId, approverIds: [...seats], comment };
  const given = { ...after, state: before.state, approvedAt: before.approvedAt };
  ctx.emit(events.ApprovalGiven, changeRef(after), { ...changeEventData(given), vote });
  if (isEnough) ctx.emit(events.ChangeApproved, changeRef(after), changeEventData(after));
  return after;
}

/** The first who rejects a change decides. */
export async function reject(
  ctx: WriteContext<typeof ChangeRejected>,
  ref: string,
  reason: string,
): Promise<ChangeRecord> {
  const { tx, now } = ctx;
  const { before, userId, seats } = await ballot(ctx, ref, "reject");
  const vote = { userId, decision: "rejected" as const, comment: reason, now };
  await store.insertVotes(tx, before, seats, vote);
  const state = nextState(changeMachine, before.state, "reject");
  const rejected = { ...before, state, rejectionReason: reason };
  const after = await changes.save(tx, before, rejected, now);
  ctx.emit(events.ChangeRejected, changeRef(after), changeEventData(after));
  return after;
}

/** The change, locked, and the seats that the caller may vote for now. */
async function ballot(
  ctx: WriteContext<never>,
  ref: string,
  action: "approve" | "reject",
): Promise<{ before: ChangeRecord; userId: string; seats: readonly string[] }> {
  const { tx, now, caller } = ctx;
  const before = await changes.lock(tx, ref);
  ctx.expectRevision(before.revision);
  const userId = authorIdOf(caller);
  if (userId === before.createdBy) throw new Failure(OwnApproval);
  nextState(changeMachine, before.state, action);
  const [proxies, principals] = await Promise.all([
    store.activeDelegates(tx, before.id),
    standsInFor(tx, userId, now),
  ]);
  const own = seatsOf(before.approval, userId, { proxies, standsInFor: principals });
  return { before, userId, seats: await openAmong(tx, before, own) };
}

/** Hands every seat on to somebody else that the caller sits on and has not voted for. */
export async function delegate(
  ctx: WriteContext<typeof ChangeDelegated>,
  ref: string,
  toUserId: string,
): Promise<ChangeRecord> {
  const { tx, now, caller } = ctx;
  const before = await changes.lock(tx, ref);
  ctx.expectRevision(before.revision);
  const { id, state, approval, createdBy } = before;
  if (state !== "submitted" && state !== "draft") {
    throw invalidTransition(
      changeMachine,
      state,
      `In the state ${state} there is no vote to hand on.`,
    );
  }
  const me = authorIdOf(caller);
  const proxies = await store.activeDelegates(tx, id);
  const own = approval.approverIds.filter((seat) => seatHolder(seat, proxies) === me);
  const seats = await openAmong(tx, before, own);
  if (toUserId === me) throw invalidField("/toUserId", "must be somebody else");
  if (toUserId === createdBy)
    throw invalidField("/toUserId", "is the requester, who can't approve");
  await assertReferencesExist(ctx, { users: { "/toUserId": toUserId } });
  await assertMayApprove(ctx, [["/toUserId", toUserId]]);
  await store.setProxies(tx, id, seats, { userId: toUserId, now });
  const after = await changes.save(tx, before, before, now);
  const data = { ...changeEventData(after), fromUserId: me, toUserId };
  ctx.emit(events.ChangeDelegated, changeRef(after), data);
  return after;
}

/** Those of somebody's seats that nobody has voted for yet. */
async function openAmong(
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
