import Type from "typebox";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, object, text, Time } from "#kernel/schema/schema.ts";
import {
  AlreadyVoted,
  Change,
  ChangeRef,
  example,
  NotApprover,
  OwnApproval,
  Reason,
  toChange,
} from "../change.ts";
import { ApprovalGiven, ChangeApproved, ChangeDelegated, ChangeRejected } from "../events.ts";
import { changeMachine } from "../lifecycle.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";
import * as changes from "../store.ts";
import { Approval, seatHolder, requiredApprovals } from "./approval.ts";
import * as store from "./store.ts";
import { approve, delegate, reject } from "./vote.ts";

const PATH = "/api/v1/itsm/changes/{id}";
const common = { permission: ChangesApprove, params: ChangeRef, response: item(Change) };
const fails = [changeMachine.refusal, OwnApproval, NotApprover, AlreadyVoted];

const approveChange = command({
  ...common,
  id: "changes.approve",
  route: `POST ${PATH}/approve`,
  summary: "Approve of a change",
  description:
    "One vote for each approver; who was handed votes gives all of them at once. The vote that fulfils " +
    "the rule approves the change. Whoever requested it can't approve it, by whatever means.",
  body: object({ comment: Type.Optional(text(2_000)) }),
  bodyOptional: true,
  emits: [ApprovalGiven, ChangeApproved],
  fails,
  example: { ...example, body: { comment: "The plan is sound." } },
  run: async (ctx, { params, body }) =>
    toChange(await approve(ctx, params.id, body?.comment ?? "")),
});

const rejectChange = command({
  ...common,
  id: "changes.reject",
  route: `POST ${PATH}/reject`,
  summary: "Reject a change",
  description: "One rejection is enough. The change may then be revised and submitted again.",
  body: object({ reason: Reason }),
  emits: [ChangeRejected],
  fails,
  example: { ...example, body: { reason: "There is no way back in the plan." } },
  run: async (ctx, { params, body }) => toChange(await reject(ctx, params.id, body.reason)),
});

const delegateChange = command({
  ...common,
  id: "changes.delegate",
  route: `POST ${PATH}/delegate`,
  summary: "Hand your vote on a change to somebody else",
  description:
    "Of an approver whom the change names, or who was handed such a vote; to somebody who may approve " +
    "changes and did not request this one.",
  body: object({ toUserId: id("usr") }),
  emits: [ChangeDelegated],
  fails: [changeMachine.refusal, NotApprover, AlreadyVoted],
  example: { ...example, body: { toUserId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  run: async (ctx, { params, body }) => toChange(await delegate(ctx, params.id, body.toUserId)),
});

const Vote = Type.Object(
  {
    id: id("chv"),
    round: Type.Integer({ description: "How often the change had been submitted by then" }),
    approverId: Type.String({ description: "Whose seat it was" }),
    userId: Type.String({ description: "Who voted" }),
    decision: Type.Enum(["approved", "rejected"]),
    comment: Type.String(),
    createdAt: Time,
  },
  { title: "ChangeVote" },
);

const Pending = Type.Object({
  approverId: Type.String(),
  userId: Type.String({ description: "Who votes for them on this change: themselves, or another" }),
});

const listApprovals = query({
  id: "changes.list_approvals",
  route: `GET ${PATH}/approvals`,
  summary: "See how the approval of a change stands",
  permission: ChangesRead,
  params: ChangeRef,
  response: item(
    Type.Object(
      {
        ...Approval.properties,
        required: Type.Integer(),
        given: Type.Integer({ description: "Since it was last submitted" }),
        round: Type.Integer({ description: "How often it was submitted" }),
        pending: Type.Array(Pending, { description: "Named approvers who have not voted" }),
        votes: Type.Array(Vote, { description: "Of all rounds, the latest first, up to 500" }),
      },
      { title: "ChangeApprovals" },
    ),
  ),
  example,
  async run({ tx }, { params }) {
    const change = await changes.get(tx, params.id);
    const { type, approval, approvalsGiven, round } = change;
    const [votes, proxies] = await Promise.all([
      store.votesOn(tx, change.id),
      store.activeDelegates(tx, change.id),
    ]);
    const voted = new Set(votes.filter((vote) => vote.round === round).map((v) => v.approverId));
    const pending = approval.approverIds
      .filter((seat) => !voted.has(seat))
      .map((seat) => ({ approverId: seat, userId: seatHolder(seat, proxies) }));
    const required = requiredApprovals(type, approval);
    return { ...approval, required, given: approvalsGiven, round, pending, votes };
  },
});

export const approvalOperations = [approveChange, rejectChange, delegateChange, listApprovals];
