/** The approval of a request in responses and events. */
import Type, { type Static } from "typebox";
import {
  type ApprovalRecord,
  ApprovalStep,
  Approver,
  currentStep,
  findAsked,
  RULES,
} from "#domains/approvals/index.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import type { Approval as ItemApproval } from "../items/item.ts";

const Decision = Type.Object(
  {
    userId: Type.String(),
    approved: Type.Boolean(),
    comment: nullable(Type.String()),
    at: Time,
    // Events of earlier versions do not have these fields.
    insteadOf: Type.Optional(
      Type.Array(Type.String(), { description: "Approvers whose delegate decided" }),
    ),
    step: Type.Optional(Type.Integer({ description: "Number of the step, from 0" })),
  },
  { title: "RequestDecision" },
);

const Step = Type.Object(
  {
    ...ApprovalStep.properties,
    approvers: Type.Array(Approver),
    state: Type.Enum(["waiting", "pending", "approved", "rejected", "skipped"]),
    approverIds: Type.Array(Type.String(), { description: "People of the approvers" }),
    startedAt: nullable(Time),
  },
  { title: "RequestApprovalStep" },
);

export const RequestApproval = Type.Object({
  required: Type.Boolean(),
  approverIds: Type.Array(Type.String(), {
    description:
      "People of the current step. If it is empty and the request waits, members with `requests:work` decide",
  }),
  rule: Type.Enum([...RULES], { description: "Rule of the current step" }),
  decisions: Type.Array(Decision),
  steps: Type.Optional(Type.Array(Step)),
  askedIds: Type.Optional(
    Type.Array(Type.String(), { description: "People whose decision is open" }),
  ),
  expiresAt: Type.Optional(nullable(Time)),
  remindAfterHours: Type.Optional(nullable(Type.Integer())),
  remindedAt: Type.Optional(nullable(Time)),
});
export type RequestApproval = Static<typeof RequestApproval>;

/** Describes the approval of a request; undefined if no approval is required. */
export function describeApproval(approval: ApprovalRecord | undefined): RequestApproval {
  if (!approval) return { required: false, approverIds: [], rule: "any", decisions: [] };
  const { steps, expiresAt, remindAfterHours, remindedAt } = approval;
  const present = currentStep(approval);
  return {
    required: true,
    approverIds: peopleOf(present),
    rule: present.rule,
    decisions: steps.flatMap(({ decisions }, step) =>
      decisions.map(({ insteadOf, ...decision }) => ({
        ...decision,
        ...(insteadOf && { insteadOf: [...insteadOf] }),
        step,
      })),
    ),
    steps: steps.map(({ name, approvers, rule, quorum, state, startedAt, ...step }) => ({
      name,
      approvers: [...approvers],
      rule,
      quorum,
      state,
      startedAt,
      approverIds: peopleOf(step),
    })),
    askedIds: [...findAsked(approval)],
    expiresAt,
    remindAfterHours,
    remindedAt,
  };
}

const peopleOf = ({ seats }: { readonly seats: readonly (readonly string[])[] }): string[] => [
  ...new Set(seats.flat()),
];

/** The approval steps of an item. */
export function stepsOf({ steps = [], approverIds, rule }: ItemApproval): readonly ApprovalStep[] {
  if (steps.length > 0) return steps;
  return [{ approvers: approverIds.map((id) => ({ kind: "person", id })), rule }];
}
