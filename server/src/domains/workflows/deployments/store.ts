import { activeMemberSql } from "#domains/identity/accounts/index.ts";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { SubscriptionStart } from "#kernel/log/subscription-start.ts";
import type { Trigger } from "../definition/index.ts";
import type { RehearsalGate } from "./rehearsal.ts";

/** The deployment of a workflow in one environment. */
export interface Deployment {
  readonly workflowId: string;
  readonly environment: EnvironmentName;
  readonly versionId: string;
  readonly number: number;
  /** The one that was active before. */
  readonly previousVersionId: string | null;
  /** True while its trigger is on. */
  readonly enabled: boolean;
  /** The person whose permissions its runs have. */
  readonly deployedBy: string;
  /** Which of them, where a token of that person's deployed it; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  /** True when that person is no longer an active member: nothing begins in their name. */
  readonly orphaned: boolean;
  /** The demands on past runs before another version is deployed; null for none. */
  readonly rehearsalGate: RehearsalGate | null;
}

/** A deployment with an event trigger; the match is in its version. */
export interface EventDeployment {
  readonly workflowId: string;
  readonly versionId: string;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
  readonly topic: string;
  readonly since: SubscriptionStart;
}

/** True for a deployment (`d`) whose person has left. */
export const ORPHANED =
  sql<boolean>`not ${sql.raw(activeMemberSql("d.deployed_by", "d.workspace_id"))}`.as("orphaned");

export async function findDeployment(
  tx: Tx,
  workflowId: string,
  environment: EnvironmentName,
): Promise<Deployment | undefined> {
  const row = await selectDeployments(tx, workflowId)
    .where("d.environment", "=", environment)
    .executeTakeFirst();
  return row && toDeployment(row);
}

/** The deployments of a workflow in all environments. */
export async function listDeployments(tx: Tx, workflowId: string): Promise<Deployment[]> {
  return (await selectDeployments(tx, workflowId).orderBy("d.environment").execute()).map(
    toDeployment,
  );
}

/** Finds deployments of this workspace with an event trigger on these topics that is on. */
export async function findEventDeployments(
  tx: Tx,
  environment: EnvironmentName,
  topics: readonly string[],
): Promise<EventDeployment[]> {
  const { rows } = await sql<EventDeploymentRow>`
    select workflow_id, version_id, deployed_by, permissions, topic, since_epoch, since::text as since
      from workflow_deployments
     where environment = ${environment}::environment and topic = any(${topics}::text[]) and enabled
       and ${sql.raw(activeMemberSql("deployed_by", "workflow_deployments.workspace_id"))}
     order by workflow_id`.execute(tx);
  return rows.map((row) => ({
    workflowId: row.workflow_id,
    versionId: row.version_id,
    deployedBy: row.deployed_by,
    permissions: row.permissions ?? undefined,
    topic: row.topic,
    since: { epoch: row.since_epoch, snapshot: row.since },
  }));
}

interface EventDeploymentRow {
  readonly workflow_id: string;
  readonly version_id: string;
  readonly deployed_by: string;
  readonly permissions: readonly string[] | null;
  readonly topic: string;
  readonly since_epoch: number;
  readonly since: string;
}

/** Deploys a version to an environment, in place of the one that is there. */
export async function upsertDeployment(
  tx: Tx,
  deployment: Omit<Deployment, "orphaned"> & { readonly trigger: Trigger; readonly at: Date },
): Promise<void> {
  const { trigger } = deployment;
  const columns = {
    version_id: deployment.versionId,
    previous_version_id: deployment.previousVersionId,
    enabled: deployment.enabled,
    deployed_by: deployment.deployedBy,
    permissions: deployment.permissions ? [...deployment.permissions] : null,
    deployed_at: deployment.at,
    rehearsal_gate: deployment.rehearsalGate && JSON.stringify(deployment.rehearsalGate),
    trigger_type: trigger.type,
    topic: trigger.type === "event_bus" ? trigger.topic : null,
  };
  const key = { workflow_id: deployment.workflowId, environment: deployment.environment };
  await tx
    .insertInto("workflow_deployments")
    .values({ ...key, ...columns, ...NOW })
    .onConflict((conflict) =>
      conflict.columns(["workflow_id", "environment"]).doUpdateSet({
        ...columns,
        // A new version must not miss events for which the trigger was on already.
        since_epoch: sql<number>`case when ${SAME_TRIGGER} then workflow_deployments.since_epoch else excluded.since_epoch end`,
        since: sql<string>`case when ${SAME_TRIGGER} then workflow_deployments.since else excluded.since end`,
      }),
    )
    .execute();
}

const NOW = {
  since_epoch: sql<number>`(select epoch from installation)`,
  since: sql<string>`pg_current_snapshot()`,
};

const SAME_TRIGGER = sql`
  workflow_deployments.enabled and workflow_deployments.trigger_type = excluded.trigger_type
  and workflow_deployments.topic is not distinct from excluded.topic`;

/** Turns the trigger on or off in one environment. */
export async function setEnabled(
  tx: Tx,
  { workflowId, environment }: Pick<Deployment, "workflowId" | "environment">,
  enabled: boolean,
): Promise<void> {
  await tx
    .updateTable("workflow_deployments")
    .set({ enabled, ...(enabled && NOW) })
    .where("workflow_id", "=", workflowId)
    .where("environment", "=", environment)
    .execute();
}

function selectDeployments(tx: Tx, workflowId: string) {
  return tx
    .selectFrom("workflow_deployments as d")
    .innerJoin("workflow_versions as v", "v.id", "d.version_id")
    .select([
      "d.workflow_id",
      "d.environment",
      "d.version_id",
      "v.number",
      "d.previous_version_id",
      "d.enabled",
      "d.deployed_by",
      "d.permissions",
      "d.rehearsal_gate",
      ORPHANED,
    ])
    .where("d.workflow_id", "=", workflowId);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectDeployments>["executeTakeFirstOrThrow"]>>;

function toDeployment(row: Row): Deployment {
  return {
    workflowId: row.workflow_id,
    environment: row.environment,
    versionId: row.version_id,
    number: row.number,
    previousVersionId: row.previous_version_id,
    enabled: row.enabled,
    deployedBy: row.deployed_by,
    permissions: row.permissions ?? undefined,
    orphaned: row.orphaned,
    // Only checked gates are stored.
    rehearsalGate: row.rehearsal_gate as RehearsalGate | null,
  };
}
