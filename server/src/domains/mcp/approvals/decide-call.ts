import {
  type ApprovalPlan,
  closeApproval,
  decideApproval,
  type DecisionFailures,
  replanApproval,
} from "#domains/approvals/index.ts";
import { assertCredentialValid } from "#kernel/access/authenticator.ts";
import {
  type Caller,
  type Credential,
  isInPerson,
  userIdOf,
  type WorkspaceRef,
} from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { pendingEvent } from "#kernel/operation/act.ts";
import { Failure, Unauthenticated } from "#kernel/operation/failure.ts";
import {
  AgentGone,
  CallApproved,
  CallCancelled,
  CallDecided,
  CallRejected,
  NotAnAgent,
  NotAsked,
  OwnAgent,
} from "./agent-call.ts";
import { planCall, subjectOf } from "./approval-plan.ts";
import { type CallRow, getCall, toReader, toSummary, visibleCalls } from "./call-store.ts";
import { type ApprovalCause, performCallJob } from "./perform-call.ts";
import { readPolicy } from "./policy.ts";

type In<C> = C & { readonly workspace: WorkspaceRef };

const FAILURES = {
  own: OwnAgent,
  not_asked: NotAsked,
  decided: CallDecided,
} as const satisfies DecisionFailures;

/** Approves or rejects a pending call. The row is locked, so that only one of two concurrent decisions counts. */
export async function decideCall(
  ctx: In<WriteContext<typeof CallApproved | typeof CallRejected>>,
  id: string,
  decision: { readonly isApproved: boolean; readonly comment: string | undefined },
): Promise<CallRow> {
  const { tx, now, caller } = ctx;
  if (!isInPerson(caller)) throw new Failure(NotAnAgent);
  const locked = await getCall(tx.selectFrom("agent_calls").selectAll().forUpdate(), id);
  const policy = await readPolicy(tx);
  const plan = await planCall(tx, policy, locked.user_id);
  // The approvers of the current policy decide, not those at the time of the request.
  await replanApproval(ctx, subjectOf(id), plan);
  const reader = toReader(caller);
  const row = await getCall(visibleCalls(tx, reader), id);
  assertPending(row, now);
  const { isApproved, comment = null } = decision;
  const isOwn = row.user_id === reader.userId && policy.fourEyes;
  if (isOwn && !isApproved && isNamed(caller, plan)) {
    // Approvers may always reject calls of their own agents.
    await closeApproval(ctx, subjectOf(id), "withdrawn");
  } else {
    await decideApproval(ctx, subjectOf(id), { approved: isApproved, comment }, FAILURES);
  }
  if (isApproved) await assertAgentThere(ctx, row);
  const decided = await settleCall(ctx, id, {
    status: isApproved ? "approved" : "rejected",
    comment: decision.comment,
  });
  const resource = { id, displayName: row.summary };
  if (!decision.isApproved) {
    ctx.emit(CallRejected, resource, toSummary(decided));
    return decided;
  }
  const causationId = await ctx.publish(pendingEvent(CallApproved, resource, toSummary(decided)));
  const { correlationId, depth } = caller.cause;
  const cause: ApprovalCause = {
    correlationId,
    causationId,
    depth: depth + 1,
    origin: caller.origin,
  };
  await tx
    .updateTable("agent_calls")
    .set({ cause: JSON.stringify(cause) })
    .where("id", "=", id)
    .execute();
  ctx.enqueue(performCallJob, { callId: id, workspace: ctx.workspace.key }, { key: id });
  return decided;
}

/** Cancels a pending call, by the agent or its member. */
export async function cancelCall(
  ctx: In<WriteContext<typeof CallCancelled>>,
  id: string,
): Promise<CallRow> {
  const { tx, now, caller } = ctx;
  const reader = toReader(caller);
  const row = await getCall(visibleCalls(tx, reader).forUpdate(), id);
  const isOwn = reader.isPerson
    ? row.user_id === reader.userId
    : row.credential_id === reader.credentialId;
  if (!isOwn) throw new Failure(NotAsked);
  assertPending(row, now);
  await closeApproval(ctx, subjectOf(id), "withdrawn");
  const cancelled = await settleCall(ctx, id, { status: "cancelled", comment: undefined });
  ctx.emit(CallCancelled, { id, displayName: row.summary }, toSummary(cancelled));
  return cancelled;
}

/** True if the policy names the caller as an approver. */
function isNamed(caller: Caller, { steps }: Pick<ApprovalPlan, "steps">): boolean {
  const names = [userIdOf(caller), ...(caller.principal?.roles ?? [])];
  return steps.some(({ approvers }) => approvers.some(({ id }) => names.includes(id ?? "")));
}

function assertPending({ status, expires_at }: CallRow, now: Date): void {
  if (status !== "pending") throw new Failure(CallDecided, { detail: `The call is ${status}.` });
  if (Date.parse(expires_at) <= now.getTime()) {
    throw new Failure(CallDecided, { detail: "The call has expired." });
  }
}

/**
 * Rejects the approval if the token was revoked or its member has left, because the call could not be performed.
 */
async function assertAgentThere(
  { tx, services }: Pick<WriteContext, "tx" | "services">,
  row: CallRow,
): Promise<void> {
  const { credential_kind, credential_id: id } = row;
  // The check uses only the id.
  const credential = { kind: credential_kind, id } as unknown as Credential;
  try {
    await assertCredentialValid(services, tx, credential);
  } catch (error) {
    if (error instanceof Failure && error.type === Unauthenticated) throw new Failure(AgentGone);
    throw error;
  }
}

function settleCall(
  { tx, now, caller }: Pick<WriteContext, "tx" | "now" | "caller">,
  id: string,
  { status, comment }: { readonly status: string; readonly comment: string | undefined },
): Promise<CallRow> {
  const isOver = status !== "approved";
  return tx
    .updateTable("agent_calls")
    .set({
      status,
      decided_by: userIdOf(caller),
      decider_name: nameOf(caller),
      decided_at: now,
      comment: comment ?? null,
      ...(isOver && { finished_at: now }),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function nameOf({ credential, actor }: Caller): string {
  return credential?.user.name ?? actor.name;
}
