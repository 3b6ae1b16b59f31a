/**
 * Approval model (pure functions). Steps run in sequence. A step has one seat per approver, and a seat lists the
 * members who can decide for it. One rejection rejects the approval.
 */
import type { ApprovalStep, Approver } from "./approver.ts";

export interface StepDecision {
  readonly userId: string;
  readonly approved: boolean;
  readonly comment: string | null;
  readonly at: string;
  /** Approvers represented by the delegate who decided. */
  readonly insteadOf?: readonly string[];
}

export interface StepState {
  readonly name: string | null;
  readonly approvers: readonly Approver[];
  readonly rule: ApprovalStep["rule"];
  readonly quorum: number | null;
  readonly state: "waiting" | "pending" | "approved" | "rejected" | "skipped";
  /** Members who can decide for each seat. Empty until the step starts. */
  readonly seats: readonly (readonly string[])[];
  readonly decisions: readonly StepDecision[];
  readonly startedAt: string | null;
}

export interface ApprovalRecord {
  readonly id: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly state: "pending" | "approved" | "rejected" | "withdrawn" | "expired";
  readonly requesterIds: readonly string[];
  readonly managedId: string;
  /** Members with this permission decide if a step has no approvers left. */
  readonly fallback: string;
  readonly steps: readonly StepState[];
  readonly position: number;
  readonly expiresAt: string | null;
  readonly remindAfterHours: number | null;
  readonly reminders: number;
  readonly remindedAt: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** A member who decides, and the approvers represented by this member. */
export interface Decider {
  readonly userId: string;
  readonly standsInFor: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
}

export type Hindrance = "own" | "not_asked" | "decided";

/** The step before its start. */
export function toWaitingStep({ name, approvers, rule, quorum }: ApprovalStep): StepState {
  return {
    name: name ?? null,
    approvers,
    rule,
    quorum: rule === "quorum" ? (quorum ?? 1) : null,
    state: "waiting",
    seats: [],
    decisions: [],
    startedAt: null,
  };
}

/** The current step of a pending approval, or the last step of an ended approval. */
export function currentStep({ steps, position }: ApprovalRecord): StepState {
  const step = steps[position];
  if (!step) throw new Error("An approval has at least one step.");
  return step;
}

/** The approval with another current step. */
export function withStep(approval: ApprovalRecord, step: StepState): ApprovalRecord {
  return { ...approval, steps: approval.steps.with(approval.position, step) };
}

/** Starts the current step and sets the members of its seats. */
export function beginStep(
  approval: ApprovalRecord,
  seats: StepState["seats"],
  startedAt: string,
): ApprovalRecord {
  return withStep(approval, { ...currentStep(approval), state: "pending", seats, startedAt });
}

/** The people whose decision is still open; empty if the fallback permission decides. */
export function findAsked(approval: ApprovalRecord): readonly string[] {
  const step = currentStep(approval);
  if (approval.state !== "pending") return [];
  const heard = heardIn(step);
  const open =
    step.rule === "all" ? step.seats.filter((seat) => !isTaken(seat, heard)) : step.seats;
  return [...new Set(open.flat())].filter((userId) => !heard.has(userId));
}

/** True if the seats are empty. Members with the fallback permission then decide. */
export function isUnstaffed({ seats }: Pick<StepState, "seats">): boolean {
  return seats.every((seat) => seat.length === 0);
}

/** True if the time for a decision has passed, even if the expiry job has not run yet. */
export function isExpired({ expiresAt }: Pick<ApprovalRecord, "expiresAt">, now: Date): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
}

/** All approvers and deciders of the steps that started. */
export function findInvolved({ steps }: Pick<ApprovalRecord, "steps">): readonly string[] {
  return [
    ...new Set(
      steps.flatMap(({ seats, decisions }) => [
        ...seats.flat(),
        ...decisions.flatMap(({ userId, insteadOf = [] }) => [userId, ...insteadOf]),
      ]),
    ),
  ];
}

/** The approvers that a decision of this member counts for, or why the member cannot decide. */
export function findVoices(
  approval: ApprovalRecord,
  { userId, standsInFor, permissions }: Decider,
): readonly string[] | Hindrance {
  if (approval.requesterIds.includes(userId)) return "own";
  const step = currentStep(approval);
  const heard = heardIn(step);
  if (isUnstaffed(step)) {
    if (!permissions.has(approval.fallback)) return "not_asked";
    return heard.has(userId) ? "decided" : [userId];
  }
  const people = new Set(step.seats.flat());
  const own = [userId, ...standsInFor].filter((id) => people.has(id));
  if (own.length === 0) return "not_asked";
  const asked = new Set(findAsked(approval));
  const open = own.filter((id) => asked.has(id));
  return open.length === 0 ? "decided" : open;
}

export type ApprovalOutcome = "waits" | "next" | "approved" | "rejected";

/** Adds a decision. The calling function starts the next step. */
export function addDecision(
  approval: ApprovalRecord,
  { voices, ...decision }: Omit<StepDecision, "insteadOf"> & { readonly voices: readonly string[] },
): { readonly approval: ApprovalRecord; readonly outcome: ApprovalOutcome } {
  const step = currentStep(approval);
  const others = voices.filter((id) => id !== decision.userId);
  const complete = { ...decision, ...(others.length > 0 && { insteadOf: others }) };
  const decided = withStep(approval, { ...step, decisions: [...step.decisions, complete] });
  const { approved, at } = decision;
  return approved ? settleStep(decided, at) : endApproval(decided, "rejected", at);
}

/** Ends the current step if enough people have approved. */
export function settleStep(
  approval: ApprovalRecord,
  at: string,
): { readonly approval: ApprovalRecord; readonly outcome: ApprovalOutcome } {
  const step = currentStep(approval);
  if (!isStepApproved(step)) return { approval, outcome: "waits" };
  const after = withStep(approval, { ...step, state: "approved" });
  const isLast = approval.position === approval.steps.length - 1;
  if (isLast)
    return { approval: { ...after, state: "approved", endedAt: at }, outcome: "approved" };
  return { approval: { ...after, position: approval.position + 1 }, outcome: "next" };
}

/** Ends an approval before all steps have approved. */
export function endApproval(
  approval: ApprovalRecord,
  state: "rejected" | "withdrawn" | "expired",
  at: string,
): { readonly approval: ApprovalRecord; readonly outcome: "rejected" } {
  const { position } = approval;
  const steps = approval.steps.map((step, index) => {
    if (index < position) return step;
    const isRejected = index === position && state === "rejected";
    return { ...step, state: isRejected ? ("rejected" as const) : ("skipped" as const) };
  });
  return { approval: { ...approval, state, steps, endedAt: at }, outcome: "rejected" };
}

/** True if enough of the remaining people have approved. */
function isStepApproved(step: StepState): boolean {
  const { rule, quorum, seats, decisions } = step;
  if (decisions.length === 0) return false;
  if (rule === "any") return true;
  const heard = heardIn(step);
  if (rule === "all") return seats.every((seat) => seat.length === 0 || isTaken(seat, heard));
  const people = new Set([...seats.flat(), ...heard]);
  return heard.size >= Math.min(quorum ?? 1, people.size);
}

/** The deciders, and the approvers represented by delegates. */
function heardIn({ seats, decisions }: Pick<StepState, "seats" | "decisions">): Set<string> {
  const people = new Set(seats.flat());
  return new Set(
    decisions.flatMap(({ userId, insteadOf = [] }) =>
      // A delegate who is not an approver has no separate vote.
      insteadOf.length > 0 && !people.has(userId) ? insteadOf : [userId, ...insteadOf],
    ),
  );
}

const isTaken = (seat: readonly string[], heard: ReadonlySet<string>): boolean =>
  seat.some((userId) => heard.has(userId));
