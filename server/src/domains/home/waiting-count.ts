import Type from "typebox";
import { userIdOf } from "#kernel/access/caller.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import { ApprovalsDecide } from "#domains/runs/index.ts";
import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";

export const countWaiting = query({
  id: "home.waiting",
  route: "GET /api/v1/home/waiting",
  summary: "Count what waits for you in this environment",
  description:
    "`approvals`: steps of runs that ask you; `agentCalls`: calls of agents that do; `changeApprovals` and `requestApprovals`: tickets that do; " +
    "`incidents`, `changes`, `problems`, `requests`: tickets assigned to you that are not over; `changeTasks` and " +
    "`requestTasks`: tasks that you can begin with. Only what you may " +
    "see is counted, each up to 1000.",
  permission: ApprovalsDecide,
  environmentScoped: true,
  response: item(
    Type.Object(
      {
        total: Type.Integer(),
        counts: Type.Record(Type.String(), Type.Integer(), { description: "By what waits" }),
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
