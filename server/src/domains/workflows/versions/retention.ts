import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { workspaceOf } from "#domains/workspaces/index.ts";
import { ENVIRONMENTS } from "../workflow.ts";

/** The number of superseded versions kept per workflow, by workspace plan. */
export const SUPERSEDED_VERSIONS_MAX = { standard: 50, enterprise: 200 } as const;

/** Limit per save. After a change of plan the surplus is deleted over several saves. */
const DELETED_VERSIONS_MAX = 500;

type Context = Pick<WriteContext, "tx" | "switchPartition" | "caller"> & {
  readonly workspace: WorkspaceRef;
};

/**
 * Deletes the oldest superseded versions beyond the limit of the plan. Drafts, active and archived versions do not
 * count. A version used by an unfinished run is kept until a later save.
 */
export async function deleteSurplusVersions(ctx: Context, workflowId: string): Promise<void> {
  const { plan } = await workspaceOf(ctx.tx, ctx.workspace.key);
  const surplus = await lockSurplus(ctx.tx, workflowId, SUPERSEDED_VERSIONS_MAX[plan]);
  if (surplus.length === 0) return;
  const inUse = await findUsedByRuns(ctx, workflowId, surplus);
  const old = surplus.filter((id) => !inUse.has(id));
  if (old.length === 0) return;
  await ctx.tx.deleteFrom("workflow_versions").where("id", "in", old).execute();
}

/**
 * Locks surplus versions, except for versions with a run that is just starting. The runs can then be counted safely.
 */
async function lockSurplus(tx: Tx, workflowId: string, keptCount: number): Promise<string[]> {
  const surplus = await tx
    .selectFrom("workflow_versions")
    .select("id")
    .where("workflow_id", "=", workflowId)
    .where("status", "=", "superseded")
    .orderBy("number", "desc")
    .offset(keptCount)
    .limit(DELETED_VERSIONS_MAX)
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

/** Versions used by unfinished runs. Runs are visible only within their environment. */
async function findUsedByRuns(
  ctx: Context,
  workflowId: string,
  versionIds: readonly string[],
): Promise<Set<string>> {
  const inUse = new Set<string>();
  for (const environment of ENVIRONMENTS) {
    ctx.switchPartition({ workspace: ctx.workspace.key, environment });
    // Two queries, because each has its own index.
    for (const statuses of [["queued"], ["running", "waiting", "paused"]]) {
      const rows = await ctx.tx
        .selectFrom("runs")
        .select("version_id")
        .distinct()
        .where("workflow_id", "=", workflowId)
        .where("status", "in", statuses)
        .where("version_id", "in", versionIds)
        .execute();
      for (const { version_id: id } of rows) inUse.add(id);
    }
  }
  ctx.switchPartition({ workspace: ctx.workspace.key, environment: ctx.caller.environment });
  return inUse;
}
