/**
 * Who decides on a change, and when enough have. An approver has a seat; who sits on it may have been
 * handed on. Where nobody is named, everyone who may approve changes has a seat of their own.
 */
import Type, { type Static } from "typebox";
import { type FieldError } from "#kernel/operation/failure.ts";
import { id, object } from "#kernel/schema/schema.ts";

export const APPROVERS_MAX = 50;

const fields = {
  rule: Type.Enum(["count", "all", "percentage"], {
    description: "So many approvals, those of all approvers, or of a share of them",
  }),
  value: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: "How many, or how many percent; without a meaning for `all`",
  }),
  approverIds: Type.Array(id("usr"), {
    maxItems: APPROVERS_MAX,
    description: "Whose votes count; of everyone with `changes:approve` when there are none",
  }),
};

/** As the API shows it. */
export const Approval = Type.Object(fields, { title: "ChangeApproval" });
export type Approval = Static<typeof Approval>;

/** As a caller gives it. */
export const ApprovalInput = object({
  rule: Type.Optional(fields.rule),
  value: Type.Optional(fields.value),
  approverIds: Type.Optional(fields.approverIds),
});
export type ApprovalInput = Static<typeof ApprovalInput>;

export const ONE_APPROVAL: Approval = { rule: "count", value: 1, approverIds: [] };

const ALL_PERCENT = 100;

/** What was given on top of what there is; a new rule begins with its own usual value. */
export function approvalFrom(before: Approval, given: ApprovalInput): Approval {
  const rule = given.rule ?? before.rule;
  const usual = rule === "count" ? 1 : ALL_PERCENT;
  const kept = rule === before.rule ? before.value : usual;
  return {
    rule,
    value: rule === "all" ? ALL_PERCENT : (given.value ?? kept),
    approverIds: [...new Set(given.approverIds ?? before.approverIds)],
  };
}

/** What makes an approval one that nobody could ever give. */
export function faultOf(approval: Approval, requesterId: string): FieldError | undefined {
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

/** How many approvals it takes. In an emergency one is enough. */
export function requiredApprovals(type: string, { rule, value, approverIds }: Approval): number {
  if (type === "emergency") return 1;
  if (rule === "count") return value;
  if (rule === "all") return approverIds.length;
  return Math.ceil((approverIds.length * value) / ALL_PERCENT);
}

/** Who sits on whose seat. */
export interface Seating {
  /** On this change, by the seat. */
  readonly proxies: ReadonlyMap<string, string>;
  /** Whom the voter stands in for on all changes, at this time. */
  readonly standsInFor: ReadonlySet<string>;
}

/** Who a seat was handed to, or whose it is. */
export function seatHolder(seat: string, proxies: Seating["proxies"]): string {
  return proxies.get(seat) ?? seat;
}

/** The seats that somebody may vote for. */
export function seatsOf(
  { approverIds }: Approval,
  voterId: string,
  { proxies, standsInFor }: Seating,
): readonly string[] {
  if (approverIds.length === 0) return [voterId];
  return approverIds.filter((seat) => {
    const holder = seatHolder(seat, proxies);
    return holder === voterId || standsInFor.has(holder);
  });
}
