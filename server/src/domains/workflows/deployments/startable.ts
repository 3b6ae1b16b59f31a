import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { type Deployment, ORPHANED } from "./store.ts";

/** The state that decides whether a workflow can be started manually. */
export interface Startable {
  readonly archived: boolean;
  /** The deployment in the environment. */
  readonly deployed:
    | Pick<Deployment, "versionId" | "deployedBy" | "permissions" | "orphaned">
    | undefined;
}

/** Reads a workflow and its deployment in one query. Undefined if the workflow does not exist. */
export async function findStartable(
  tx: Tx,
  workflowId: string,
  environment: EnvironmentName,
): Promise<Startable | undefined> {
  const row = await tx
    .selectFrom("workflows as w")
    .leftJoin("workflow_deployments as d", (join) =>
      join.onRef("d.workflow_id", "=", "w.id").on("d.environment", "=", environment),
    )
    .select(["w.archived_at", "d.version_id", "d.deployed_by", "d.permissions", ORPHANED])
    .where("w.id", "=", workflowId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { archived_at, version_id: versionId, deployed_by: deployedBy } = row;
  const permissions = row.permissions ?? undefined;
  const { orphaned } = row;
  const deployed =
    versionId !== null && deployedBy !== null
      ? { versionId, deployedBy, permissions, orphaned }
      : undefined;
  return { archived: archived_at !== null, deployed };
}
