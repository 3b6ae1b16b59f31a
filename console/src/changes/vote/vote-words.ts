import type { Approvals } from "../change/use-change.ts";

type Hindrance = NonNullable<Approvals["whyNot"]>;

const WHY_NOT: Readonly<Record<Hindrance, string>> = {
  not_submitted: "It does not wait for votes now.",
  not_permitted: "You may not approve changes.",
  own_change: "You asked for it, so others decide.",
  not_approver: "Others were named to decide on it.",
  already_voted: "You have voted.",
};

/** Returns why the user can't vote; undefined if they can, or while it is loading. */
export function describeHindrance(approvals: Approvals | undefined): string | undefined {
  if (!approvals) return "One moment.";
  return approvals.whyNot === null ? undefined : WHY_NOT[approvals.whyNot];
}

/** Describes the approvers in one sentence. */
export function describeRule({ rule, value, isOpenToAll, required }: Approvals): string {
  if (isOpenToAll) {
    return required === 1
      ? "Whoever may approve changes may vote; one agreement is enough."
      : `Whoever may approve changes may vote; it takes ${required}.`;
  }
  if (rule === "all") return "All who were named must agree.";
  if (rule === "percentage") return `It takes ${value} percent of those who were named.`;
  return `It takes ${required} of those who were named.`;
}
