import Type from "typebox";
import { userIdOf } from "#kernel/access/caller.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import { ApprovalsDecide } from "#domains/approvals/index.ts";
import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";

export const countWaiting = query({
  id: "home.waiting",
  route: "GET /api/v1/home/waiting",
  summary: "Count the items that are waiting for you",
  description:
    "`approvals`: workflow approvals; `agentCalls`: agent calls that need your approval; `changeApprovals` and `requestApprovals`: tickets that need your approval; `incidents`, `changes`, `problems`, `requests`: open tickets assigned to you; `changeTasks` and `requestTasks`: tasks that you can start. Counts only what you can view in this environment, each up to 1,000.",
  permission: ApprovalsDecide,
  environmentScoped: true,
  response: item(
    Type.Object(
      {
        total: Type.Integer(),
        counts: Type.Record(Type.String(), Type.Integer(), { description: "Number by kind" }),
      },
      { title: "WaitingWork" },
    ),
  ),
  async run(ctx) {
    const userId = userIdOf(ctx.caller);
    const kinds = contributionsTo(WaitingWorkPoint, ctx.services.contributions).filter(
      ({ permission }) => holdsPermission(ctx.caller.permissions, permission),
    );
    const numbers = await Promise.all(kinds.map(({ count }) => count(ctx, userId)));
    const counts = Object.fromEntries(kinds.map(({ kind }, index) => [kind, numbers[index] ?? 0]));
    return { total: numbers.reduce((sum, n) => sum + n, 0), counts };
  },
});
