/** The approvers of a change who can still vote. Others are not required, and the quorum uses the remaining ones. */
import { findMembersWithPermission } from "#domains/identity/accounts/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { applyChangeTransition, type ChangeRecord } from "../change.ts";
import { ApproversRemoved, ChangeApproved } from "../events.ts";
import { changeCommands } from "../kind.ts";
import { ChangesApprove } from "../permissions.ts";
import { type Approval, keepSeats, requiredApprovals, seatHolder } from "./approval.ts";
import * as store from "./store.ts";

const { emit, save } = changeCommands;

/**
 * Removes approvers who left or lost the right to vote, and emits an event. Approvers who voted are kept. A seat
 * delegated to a member who left returns to its approver.
 */
export async function dropAbsentApprovers(
  ctx: WriteContext<typeof ApproversRemoved>,
  change: ChangeRecord,
): Promise<ChangeRecord> {
  const { approval } = change;
  const present = await findPresentSeats(ctx, change);
  const userIds = approval.approverIds.filter((seat) => !present.has(seat));
  if (userIds.length === 0) return change;
  const kept: Approval = keepSeats(approval, present);
  const after = { ...change, approval: kept };
  emit(ctx, ApproversRemoved, after, { userIds });
  return after;
}

/**
 * Resolves the approvers of a submitted change again. Approves the change if the remaining approvers have approved.
 */
export async function recountApproval(
  ctx: WriteContext<typeof ApproversRemoved | typeof ChangeApproved>,
  before: ChangeRecord,
): Promise<void> {
  const present = await dropAbsentApprovers(ctx, before);
  if (present === before) return;
  const isEnough =
    present.approvalsGiven > 0 &&
    present.approvalsGiven >= requiredApprovals(present.type, present.approval);
  const at = ctx.now.toISOString();
  const after = await save(
    ctx,
    before,
    isEnough ? applyChangeTransition(present, "approve", { at }) : present,
  );
  if (isEnough) emit(ctx, ChangeApproved, after);
}

/** Finds seats with a vote, or with a holder who can vote. */
async function findPresentSeats(
  ctx: WriteContext<never>,
  change: ChangeRecord,
): Promise<ReadonlySet<string>> {
  const { id, approval } = change;
  const seats = approval.approverIds;
  if (seats.length === 0) return new Set();
  const [voted, delegates] = await Promise.all([
    change.state === "submitted" ? store.votedSeats(ctx.tx, change) : new Set<string>(),
    store.activeDelegates(ctx.tx, id),
  ]);
  const people = [...new Set([...seats, ...delegates.values()])];
  const holders = await findMembersWithPermission(ctx, ChangesApprove, people);
  const orphaned = seats.filter((seat) => !holders.has(seatHolder(seat, delegates)));
  await store.removeDelegates(ctx.tx, id, orphaned);
  return new Set(
    seats.filter((seat) => {
      const holder = seatHolder(seat, delegates);
      return voted.has(seat) || holders.has(holder) || holders.has(seat);
    }),
  );
}
