import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { workspaceOf } from "#domains/workspaces/index.ts";
import { ENVIRONMENTS } from "../workflow.ts";

/** How many superseded versions of each workflow are kept, by the workspace's plan. */
export const SUPERSEDED_VERSIONS_MAX = { standard: 50, enterprise: 200 } as const;

/** In one save: after a change of plan the surplus is deleted over several saves. */
const DELETED_VERSIONS_MAX = 500;

type Context = Pick<WriteContext, "tx" | "switchPartition" | "caller"> & {
  readonly workspace: WorkspaceRef;
};

/**
 * Deletes the oldest superseded versions beyond those that the plan keeps. Drafts, active and
 * archived ones do not count; one that an unfinished run still needs stays until a later save.
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

/** Locks surplus versions, except those for which a run is just starting: then the runs can be counted. */
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

/** The versions that unfinished runs use. Runs are visible within their environment only. */
async function findUsedByRuns(
  ctx: Context,
  workflowId: string,
  versionIds: readonly string[],
): Promise<Set<string>> {
  const inUse = new Set<string>();
  for (const environment of ENVIRONMENTS) {
    ctx.switchPartition({ workspace: ctx.workspace.key, environment });
    // Two queries, since each has its own index.
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
