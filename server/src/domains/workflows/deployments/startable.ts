import type { Caller } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Deployment } from "./store.ts";

/** What must be known of a workflow to run it by hand. */
export interface Startable {
  readonly archived: boolean;
  /** What is deployed there. */
  readonly deployed: Pick<Deployment, "versionId" | "deployedBy" | "permissions"> | undefined;
}

/** Looks at a workflow and its deployment at once; undefined when there is no such workflow. */
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
    .select(["w.archived_at", "d.version_id", "d.deployed_by", "d.permissions"])
    .where("w.id", "=", workflowId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { archived_at, version_id: versionId, deployed_by: deployedBy } = row;
  const permissions = row.permissions ?? undefined;
  const deployed =
    versionId !== null && deployedBy !== null ? { versionId, deployedBy, permissions } : undefined;
  return { archived: archived_at !== null, deployed };
}

/**
 * To which permissions a caller's workflow is confined, of those that the person has: a token that was
 * made for less must not gain the rest through a workflow. Undefined for a person who is there in
 * person, whose rights are looked up as they are when it runs.
 */
export function confinementOf({ credential, permissions }: Caller): readonly string[] | undefined {
  return credential?.kind === "session" ? undefined : [...permissions].toSorted();
}
