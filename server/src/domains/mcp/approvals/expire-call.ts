import Type from "typebox";
import { job } from "#kernel/work/job.ts";
import { CallExpired } from "./agent-call.ts";
import { toSummary } from "./call-store.ts";

/** Expires a call without a decision. */
export const expireCallJob = job({
  kind: "mcp.expire_agent_call",
  payload: Type.Object({ callId: Type.String() }),
  emits: [CallExpired],
  async run(ctx, { callId }) {
    const row = await ctx.tx
      .updateTable("agent_calls")
      .set({ status: "expired", finished_at: ctx.now })
      .where("id", "=", callId)
      .where("status", "=", "pending")
      .where("expires_at", "<=", ctx.now.toISOString())
      .returningAll()
      .executeTakeFirst();
    if (row) ctx.emit(CallExpired, { id: callId, displayName: row.summary }, toSummary(row));
  },
});
