/**
 * The approval of a change: its approvers, and the rule for approval. Each approver has a seat, which can be
 * delegated. Without named approvers every change manager has a seat.
 */
import Type, { type Static } from "typebox";
import { type FieldError } from "#kernel/operation/failure.ts";
import { id, object } from "#kernel/schema/schema.ts";

export const APPROVERS_MAX = 50;

const fields = {
  rule: Type.Enum(["count", "all", "percentage"], {
    description:
      "`count`: a number of approvals. `all`: all approvers. `percentage`: a share of the approvers",
  }),
  value: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: "Number or percentage of approvals. Not used for `all`",
  }),
  approverIds: Type.Array(id("usr"), {
    maxItems: APPROVERS_MAX,
    description: "Users whose votes count. If empty, all users with `changes:approve`",
  }),
};

export const Approval = Type.Object(fields, { title: "ChangeApproval" });
export type Approval = Static<typeof Approval>;

export const ApprovalInput = object({
  rule: Type.Optional(fields.rule),
  value: Type.Optional(fields.value),
  approverIds: Type.Optional(fields.approverIds),
});
export type ApprovalInput = Static<typeof ApprovalInput>;

export const ONE_APPROVAL: Approval = { rule: "count", value: 1, approverIds: [] };

const ALL_PERCENT = 100;

/** Applies an input to the current approval. A new rule starts with its default value. */
export function applyApprovalInput(before: Approval, input: ApprovalInput): Approval {
  const rule = input.rule ?? before.rule;
  const ruleDefault = rule === "count" ? 1 : ALL_PERCENT;
  const value = input.value ?? (rule === before.rule ? before.value : ruleDefault);
  return {
    rule,
    value: rule === "all" ? ALL_PERCENT : value,
    approverIds: [...new Set(input.approverIds ?? before.approverIds)],
  };
}

/** Checks that enough eligible approvers exist. */
export function checkApproval(approval: Approval, requesterId: string): FieldError | undefined {
  const { rule, value, approverIds } = approval;
  const own = approverIds.indexOf(requesterId);
  if (own !== -1) {
    const message = "must not be the requester, who can't approve";
    return { path: `/approval/approverIds/${own}`, message };
  }
  if (approverIds.length === 0 && rule !== "count") {
    return { path: "/approval/approverIds", message: `must name approvers for the rule ${rule}` };
  }
  if (rule === "count" && approverIds.length > 0 && value > approverIds.length) {
    return { path: "/approval/value", message: "must not be more than there are approvers" };
  }
  return undefined;
}

/** Returns the number of required approvals. An emergency change needs one. */
export function requiredApprovals(type: string, { rule, value, approverIds }: Approval): number {
  if (type === "emergency") return 1;
  if (rule === "count") return value;
  if (rule === "all") return approverIds.length;
  return Math.ceil((approverIds.length * value) / ALL_PERCENT);
}

/**
 * The approval without seats of approvers who can no longer vote. It requires at most as many votes as seats remain.
 * Without seats every change manager can decide, and one vote is sufficient.
 */
export function keepSeats(approval: Approval, present: ReadonlySet<string>): Approval {
  const approverIds = approval.approverIds.filter((seat) => present.has(seat));
  if (approverIds.length === 0) return ONE_APPROVAL;
  const { rule } = approval;
  const value = rule === "count" ? Math.min(approval.value, approverIds.length) : approval.value;
  return { rule, value, approverIds };
}

/** The delegations relevant for a voter. */
export interface Delegations {
  /** The holders of seats delegated on this change, by seat. */
  readonly delegates: ReadonlyMap<string, string>;
  /** The approvers currently represented by the voter on all changes. */
  readonly principals: ReadonlySet<string>;
}

/** The holder of a seat: the delegate, or the approver. */
export function seatHolder(seat: string, delegates: Delegations["delegates"]): string {
  return delegates.get(seat) ?? seat;
}

/** Returns the seats a member can vote for. */
export function votableSeats(
  { approverIds }: Approval,
  voterId: string,
  { delegates, principals }: Delegations,
): readonly string[] {
  if (approverIds.length === 0) return [voterId];
  return approverIds.filter((seat) => {
    const holder = seatHolder(seat, delegates);
    return holder === voterId || principals.has(holder);
  });
}
