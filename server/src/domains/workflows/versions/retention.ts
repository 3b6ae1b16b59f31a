import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { workspaceOf } from "#domains/workspaces/index.ts";
import { ENVIRONMENTS } from "../workflow.ts";

/** How many superseded versions of each workflow are kept, by the workspace's plan. */
export const KEPT_VERSIONS = { standard: 50, enterprise: 200 } as const;

/** At a time: a workspace that changed its plan is pruned over several saves. */
const PRUNED_MAX = 500;

type Context = Pick<WriteContext, "tx" | "switchPartition" | "caller"> & {
  readonly workspace: WorkspaceRef;
};

/**
 * Deletes the oldest superseded versions beyond those that the plan keeps. Drafts, active and
 * archived ones do not count; one that an unfinished run still needs stays until a later save.
 */
export async function prune(ctx: Context, workflowId: string): Promise<void> {
  const { plan } = await workspaceOf(ctx.tx, ctx.workspace.key);
  const surplus = await lockSurplus(ctx.tx, workflowId, KEPT_VERSIONS[plan]);
  if (surplus.length === 0) return;
  const needed = await neededByRuns(ctx, workflowId, surplus);
  const old = surplus.filter((id) => !needed.has(id));
  if (old.length === 0) return;
  await ctx.tx.deleteFrom("workflow_versions").where("id", "in", old).execute();
}

/** Locked, or passed over where a run is just being started: only then does it count which runs there are. */
async function lockSurplus(tx: Tx, workflowId: string, kept: number): Promise<string[]> {
  const surplus = await tx
    .selectFrom("workflow_versions")
    .select("id")
    .where("workflow_id", "=", workflowId)
    .where("status", "=", "superseded")
    .orderBy("number", "desc")
    .offset(kept)
    .limit(PRUNED_MAX)
    .execute();
  if (surplus.length === 0) return [];
  const locked = await tx
    .selectFrom("workflow_versions")
    .select("id")
    .where(
      "id",
      "in",
      surplus.map(({ id }) => id),
    )
    .forUpdate()
    .skipLocked()
    .execute();
  return locked.map(({ id }) => id);
}

/** Runs are seen from within their environment only. */
async function neededByRuns(
  ctx: Context,
  workflowId: string,
  versionIds: readonly string[],
): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const environment of ENVIRONMENTS) {
    ctx.switchPartition({ workspace: ctx.workspace.key, environment });
    // Two questions, since each has its own index.
    for (const statuses of [["queued"], ["running", "waiting", "paused"]]) {
      const rows = await ctx.tx
        .selectFrom("runs")
        .select("version_id")
        .distinct()
        .where("workflow_id", "=", workflowId)
        .where("status", "in", statuses)
        .where("version_id", "in", versionIds)
        .execute();
      for (const { version_id: id } of rows) needed.add(id);
    }
  }
  ctx.switchPartition({ workspace: ctx.workspace.key, environment: ctx.caller.environment });
  return needed;
}
