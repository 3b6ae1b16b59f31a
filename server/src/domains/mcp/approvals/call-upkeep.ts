/** Keeps the approvers of pending calls up to date, and expires calls without a decision. */
import { approvalUpkeep, closeApproval, replanApproval } from "#domains/approvals/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CallExpired } from "./agent-call.ts";
import { planCall, subjectOf } from "./approval-plan.ts";
import { type CallRow, toSummary } from "./call-store.ts";
import { PolicyUpdated, readPolicy } from "./policy.ts";

export const callUpkeep = approvalUpkeep({
  kind: "agent_call",
  plural: "agent_calls",
  emits: [CallExpired],
  recountOn: [PolicyUpdated.type],
  isOfWorkspace: true,
  async recount(ctx, id) {
    const call = await lockPendingCall(ctx.tx, id);
    if (!call) return;
    const plan = await planCall(ctx.tx, await readPolicy(ctx.tx), call.user_id);
    await replanApproval(ctx, subjectOf(id), plan);
  },
  async expire(ctx, id) {
    const call = await lockPendingCall(ctx.tx, id);
    if (!call || Date.parse(call.expires_at) > ctx.now.getTime()) return;
    await closeApproval(ctx, subjectOf(id), "expired");
    const expired = await ctx.tx
      .updateTable("agent_calls")
      .set({ status: "expired", finished_at: ctx.now })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
    ctx.emit(CallExpired, { id, displayName: call.summary }, toSummary(expired));
  },
});

function lockPendingCall(tx: Tx, id: string): Promise<CallRow | undefined> {
  return tx
    .selectFrom("agent_calls")
    .selectAll()
    .where("id", "=", id)
    .where("status", "=", "pending")
    .forUpdate()
    .executeTakeFirst();
}
