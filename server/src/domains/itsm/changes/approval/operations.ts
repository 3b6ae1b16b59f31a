import Type from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import {
  assertReferencesExist,
  invalidTransition,
  nextState,
  ticketParams,
} from "../../tickets/index.ts";
import {
  AlreadyVoted,
  applyChangeTransition,
  NotApprover,
  OwnApproval,
  Reason,
} from "../change.ts";
import {
  ApprovalGiven,
  ApproversRemoved,
  ChangeApproved,
  ChangeDelegated,
  ChangeRejected,
} from "../events.ts";
import { changeCommands, changeKind, EXAMPLE_CHANGE } from "../kind.ts";
import { changeMachine } from "../lifecycle.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";
import { assertMayApprove } from "../service.ts";
import { changeStore } from "../store.ts";
import { Approval, requiredApprovals, seatHolder } from "./approval.ts";
import { dropAbsentApprovers } from "./present-approvers.ts";
import * as store from "./store.ts";
import {
  assertNotRequester,
  castVotes,
  findOpenSeats,
  findVoteHindrance,
  VOTE_HINDRANCES,
} from "./vote.ts";

const { command, transition, save, emit } = changeCommands;
const { wrongState } = changeMachine;

const approveChange = command("approve", {
  effect: "drastic",
  summary: "Approve a change",
  description:
    "Each approver has one vote. A delegate also votes for the approvers who delegated to them. The vote that fulfils " +
    "the rule approves the change. The requester can't approve it, also not as a delegate.",
  permission: ChangesApprove,
  body: object({ comment: Type.Optional(text(2_000)) }),
  emits: [ApprovalGiven, ChangeApproved, ApproversRemoved],
  fails: [wrongState, OwnApproval, NotApprover, AlreadyVoted],
  example: { comment: "The plan is sound." },
  async run(ctx, before, { comment = "" }) {
    assertNotRequester(ctx, before);
    nextState(changeMachine, before.state, "approve");
    const present = await dropAbsentApprovers(ctx, before);
    const approved = applyChangeTransition(present, "approve", { at: ctx.now.toISOString() });
    const vote = await castVotes(ctx, present, { decision: "approved", comment });
    const approvalsGiven = before.approvalsGiven + vote.approverIds.length;
    const isEnough = approvalsGiven >= requiredApprovals(present.type, present.approval);
    const next = { ...(isEnough ? approved : present), approvalsGiven };
    const after = await save(ctx, before, next);
    const { state, approvedAt } = before;
    emit(ctx, ApprovalGiven, after, { state, approvedAt, vote });
    if (isEnough) emit(ctx, ChangeApproved, after);
    return after;
  },
});

const rejectChange = transition("reject", {
  effect: "drastic",
  summary: "Reject a change",
  description: "One rejection is enough. The change can then be revised and submitted again.",
  permission: ChangesApprove,
  body: object({ reason: Reason }),
  event: ChangeRejected,
  alsoEmits: [ApproversRemoved],
  fails: [OwnApproval, NotApprover, AlreadyVoted],
  example: { reason: "The plan has no rollback." },
  authorize: assertNotRequester,
  async fields(ctx, change, { reason }) {
    const present = await dropAbsentApprovers(ctx, change);
    await castVotes(ctx, present, { decision: "rejected", comment: reason });
    return { approval: present.approval, rejectionReason: reason };
  },
});

const delegateChange = command("delegate", {
  effect: "drastic",
  summary: "Delegate your approval of a change",
  description:
    "For named approvers of the change and their delegates. The new delegate must be able to approve " +
    "changes, and must not be the requester of this change.",
  permission: ChangesApprove,
  body: object({ toUserId: id("usr") }),
  emits: [ChangeDelegated],
  fails: [wrongState, NotApprover, AlreadyVoted],
  example: { toUserId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" },
  async run(ctx, before, { toUserId }) {
    const { tx, now, caller } = ctx;
    const { state, approval, createdBy } = before;
    if (state !== "submitted" && state !== "draft") {
      const detail = `In the state ${state} there is no vote to delegate.`;
      throw invalidTransition(changeMachine, state, detail);
    }
    const fromUserId = authorOf(caller);
    const delegates = await store.activeDelegates(tx, before.id);
    const own = approval.approverIds.filter((seat) => seatHolder(seat, delegates) === fromUserId);
    const seats = await findOpenSeats(tx, before, own);
    if (toUserId === fromUserId) throw invalidField("/toUserId", "must be another member");
    if (toUserId === createdBy) {
      throw invalidField("/toUserId", "is the requester, who can't approve");
    }
    await assertReferencesExist(ctx, { users: { "/toUserId": toUserId } });
    await assertMayApprove(ctx, [["/toUserId", toUserId]]);
    await store.setDelegate(tx, before.id, seats, { userId: toUserId, now });
    const after = await save(ctx, before, before);
    emit(ctx, ChangeDelegated, after, { fromUserId, toUserId });
    return after;
  },
});

const Vote = Type.Object(
  {
    id: id("chv"),
    round: Type.Integer({ description: "Number of submissions at that time" }),
    approverId: Type.String({ description: "The approver that the vote counts for" }),
    userId: Type.String({ description: "Id of the voter" }),
    decision: Type.Enum(["approved", "rejected"]),
    comment: Type.String(),
    createdAt: Time,
  },
  { title: "ChangeVote" },
);

const PendingVote = Type.Object({
  approverId: Type.String(),
  userId: Type.String({
    description: "The user who votes for the approver: the approver or a delegate",
  }),
});

const listApprovals = query({
  id: "changes.list_approvals",
  route: `GET ${changeKind.path}/{id}/approvals`,
  summary: "Get the approvals of a change",
  permission: ChangesRead,
  params: ticketParams(changeKind),
  response: item(
    Type.Object(
      {
        ...Approval.properties,
        required: Type.Integer(),
        given: Type.Integer({ description: "Approvals since the last submission" }),
        round: Type.Integer({ description: "Number of submissions" }),
        pending: Type.Array(PendingVote, { description: "Named approvers who have not voted" }),
        votes: Type.Array(Vote, {
          description: "Votes of all submissions, latest first, at most 500",
        }),
        isOpenToAll: Type.Boolean({
          description:
            "True if the change has no named approvers: all users with `changes:approve` can vote",
        }),
        canVote: Type.Boolean({ description: "Whether the caller can vote now" }),
        whyNot: nullable(
          Type.Enum([...VOTE_HINDRANCES], { description: "Why the caller can't vote" }),
        ),
      },
      { title: "ChangeApprovals" },
    ),
  ),
  example: { params: { id: EXAMPLE_CHANGE } },
  async run(ctx, { params }) {
    const { tx } = ctx;
    const change = await changeStore.get(tx, params.id);
    const { type, approval, approvalsGiven, round } = change;
    const [votes, delegates, whyNot] = await Promise.all([
      store.listVotes(tx, change.id),
      store.activeDelegates(tx, change.id),
      findVoteHindrance(ctx, change),
    ]);
    const voted = new Set(
      votes.filter((vote) => vote.round === round).map((vote) => vote.approverId),
    );
    const pending = approval.approverIds
      .filter((seat) => !voted.has(seat))
      .map((seat) => ({ approverId: seat, userId: seatHolder(seat, delegates) }));
    const required = requiredApprovals(type, approval);
    const isOpenToAll = approval.approverIds.length === 0;
    const standing = { required, given: approvalsGiven, round, pending, votes };
    return { ...approval, ...standing, isOpenToAll, canVote: whyNot === null, whyNot };
  },
});

export const approvalOperations = [approveChange, rejectChange, delegateChange, listApprovals];
