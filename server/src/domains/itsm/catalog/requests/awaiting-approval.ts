import { awaitsSql, countAwaiting } from "#domains/approvals/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { ListCondition } from "#kernel/list/list.ts";

/** Selects the requests with a decision of the caller pending. */
export function awaitingApprovalBy(ctx: Pick<ReadContext, "caller" | "now">): ListCondition {
  return awaitsSql({ table: "catalog_requests", kind: "request" }, ctx);
}

/** Counts the requests with a decision of the caller pending. */
export const countAwaitingApproval = (ctx: ReadContext): Promise<number> =>
  countAwaiting(ctx, "request");
