import type { Approvals } from "../change/use-change.ts";

type Hindrance = NonNullable<Approvals["whyNot"]>;

const WHY_NOT: Readonly<Record<Hindrance, string>> = {
  not_submitted: "This change is not waiting for approval.",
  not_permitted: "You don’t have permission to approve changes.",
  own_change: "You can't approve your own change.",
  not_approver: "You are not an approver of this change.",
  already_voted: "You have already decided.",
};

/** Returns why the user can't vote; undefined if they can, or while it is loading. */
export function describeHindrance(approvals: Approvals | undefined): string | undefined {
  if (!approvals) return "Loading…";
  return approvals.whyNot === null ? undefined : WHY_NOT[approvals.whyNot];
}

/** Describes the approvers in one sentence. */
export function describeRule({ rule, value, isOpenToAll, required }: Approvals): string {
  if (isOpenToAll) {
    return required === 1
      ? "Any change approver can decide. One approval is required."
      : `Any change approver can decide. ${required} approvals are required.`;
  }
  if (rule === "all") return "All approvers must approve.";
  if (rule === "percentage") return `${value} percent of the approvers must approve.`;
  return `${required} of the approvers must approve.`;
}
