/** Opens, decides and ends approvals in the transaction of the subject. The caller locks the subject first. */
import type { Permission } from "#kernel/access/permission.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { Failure, failure, type FailureType } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import {
  addDecision,
  type ApprovalRecord,
  beginStep,
  currentStep,
  endApproval,
  findVoices,
  type Hindrance,
  isExpired,
  isUnstaffed,
  type ApprovalOutcome,
  settleStep,
  toWaitingStep,
  withStep,
} from "./approval.ts";
import type { ApprovalStep } from "./approver.ts";
import { findPrincipals, findSeats } from "./people.ts";
import * as store from "./store.ts";
import type { Subject } from "./store.ts";

const HOUR_MS = 3_600_000;

type Context = WriteContext<never>;

export interface ApprovalPlan {
  readonly requesterIds: readonly string[];
  /** The member whose manager approves. */
  readonly managedId: string;
  /** Members with this permission decide if a step has no approvers left. */
  readonly fallback: Permission;
  readonly steps: readonly ApprovalStep[];
  readonly expiresAfterHours?: number | null | undefined;
  readonly remindAfterHours?: number | null | undefined;
  /** True if the subject belongs to no environment. */
  readonly isOfWorkspace?: boolean;
}

/** The approval after a decision or a change of the approvers. */
export interface Settled {
  readonly approval: ApprovalRecord;
  readonly outcome: ApprovalOutcome;
}

/** Opens the approval of a subject and starts the first step. */
export async function openApproval(
  ctx: Context,
  subject: Subject,
  plan: ApprovalPlan,
): Promise<ApprovalRecord> {
  const nowMs = ctx.now.getTime();
  const { expiresAfterHours, remindAfterHours } = plan;
  const waiting: ApprovalRecord = {
    id: newId("apr", nowMs),
    subjectKind: subject.kind,
    subjectId: subject.id,
    state: "pending",
    requesterIds: [...new Set(plan.requesterIds)],
    managedId: plan.managedId,
    fallback: plan.fallback.name,
    steps: plan.steps.map(toWaitingStep),
    position: 0,
    expiresAt:
      typeof expiresAfterHours === "number"
        ? new Date(nowMs + expiresAfterHours * HOUR_MS).toISOString()
        : null,
    remindAfterHours: remindAfterHours ?? null,
    reminders: 0,
    remindedAt: null,
    createdAt: ctx.now.toISOString(),
    endedAt: null,
  };
  const approval = await begin(ctx, waiting);
  store.insert(ctx, approval, plan);
  return approval;
}

/** Replaces the approvers and requesters of a pending approval, whose decisions so far no longer count. */
export async function replanApproval(
  ctx: Context,
  subject: Subject,
  { requesterIds, steps }: Pick<ApprovalPlan, "requesterIds" | "steps">,
): Promise<ApprovalRecord | undefined> {
  const found = await store.lockPending(ctx.tx, subject);
  if (!found || isExpired(found, ctx.now)) return undefined;
  const waiting = { ...found, requesterIds, steps: steps.map(toWaitingStep), position: 0 };
  const approval = await begin(ctx, waiting);
  store.update(ctx, approval);
  return approval;
}

/** Error types for rejected decisions; each subject has its own texts. */
export type DecisionFailures = Readonly<Record<Hindrance, FailureType>>;

export const ApprovalExpired = failure("approval_expired", 409, "The approval has expired.");
export const StepEnded = failure(
  "approval_step_ended",
  409,
  "This step has ended. Another step waits for approval.",
);

/** A decision. With `step`, it counts only for this step, so that a repeated click does not decide the next step. */
export interface DecisionInput {
  readonly approved: boolean;
  readonly comment: string | null;
  readonly step?: number | undefined;
}

/** Adds the caller's decision to the approval of a subject. */
export async function decideApproval(
  ctx: Context,
  subject: Subject,
  { step, ...decision }: DecisionInput,
  failures: DecisionFailures,
): Promise<Settled> {
  const found = await store.lockPending(ctx.tx, subject);
  if (!found) throw new Error(`The ${subject.kind} ${subject.id} has no pending approval.`);
  if (isExpired(found, ctx.now)) throw new Failure(ApprovalExpired);
  if (step !== undefined && step !== found.position) throw new Failure(StepEnded);
  const approval = await refresh(ctx, found);
  const { principal, permissions } = ctx.caller;
  if (!principal) throw new Failure(failures.not_asked);
  const userId = principal.id;
  const standsInFor = await findPrincipals(ctx.tx, userId, ctx.now);
  const voices = findVoices(approval, { userId, standsInFor, permissions });
  if (typeof voices === "string") throw new Failure(failures[voices]);
  const at = ctx.now.toISOString();
  return advance(ctx, addDecision(approval, { ...decision, userId, at, voices }));
}

/** Ends the pending approval of a subject. Returns undefined if no approval is pending. */
export async function closeApproval(
  ctx: Context,
  subject: Subject,
  state: "withdrawn" | "expired",
): Promise<ApprovalRecord | undefined> {
  const found = await store.lockPending(ctx.tx, subject);
  if (!found) return undefined;
  const { approval } = endApproval(found, state, ctx.now.toISOString());
  store.update(ctx, approval);
  return approval;
}

/** Resolves the approvers of a pending approval again. Returns undefined if nothing changed. */
export async function recountApproval(
  ctx: Context,
  subject: Subject,
): Promise<(Settled & { readonly isUnstaffed: boolean }) | undefined> {
  const found = await store.lockPending(ctx.tx, subject);
  if (!found || isExpired(found, ctx.now)) return undefined;
  const approval = await refresh(ctx, found);
  const settled = settleStep(approval, ctx.now.toISOString());
  if (approval === found && settled.outcome === "waits") return undefined;
  const wasUnstaffed = isUnstaffed(currentStep(found));
  const after = await advance(ctx, settled);
  return { ...after, isUnstaffed: !wasUnstaffed && isUnstaffed(currentStep(after.approval)) };
}

/** Records a reminder; undefined if no approval is pending, or it is too early. */
export async function noteReminder(
  ctx: Context,
  subject: Subject,
  pauseHours: number,
): Promise<ApprovalRecord | undefined> {
  const found = await store.lockPending(ctx.tx, subject);
  const last = found && (found.remindedAt ?? currentStep(found).startedAt ?? found.createdAt);
  if (!found || last === undefined) return undefined;
  if (ctx.now.getTime() < Date.parse(last) + pauseHours * HOUR_MS) return undefined;
  const remindedAt = ctx.now.toISOString();
  const approval = { ...found, reminders: found.reminders + 1, remindedAt };
  store.update(ctx, approval);
  return approval;
}

/** Starts the next step if one is left, and writes the approval. */
async function advance(ctx: Context, { approval, outcome }: Settled): Promise<Settled> {
  const after = outcome === "next" ? await begin(ctx, approval) : approval;
  store.update(ctx, after);
  return { approval: after, outcome };
}

async function begin(ctx: Context, approval: ApprovalRecord): Promise<ApprovalRecord> {
  const seats = await findSeats(ctx.tx, currentStep(approval), approval);
  return beginStep(approval, seats, ctx.now.toISOString());
}

/** Resolves the seats of the current step again. Returns the same approval if nothing changed. */
async function refresh(ctx: Context, approval: ApprovalRecord): Promise<ApprovalRecord> {
  const step = currentStep(approval);
  const seats = await findSeats(ctx.tx, step, approval);
  if (JSON.stringify(seats) === JSON.stringify(step.seats)) return approval;
  return withStep(approval, { ...step, seats });
}
