import { activeMemberSql } from "#domains/identity/accounts/index.ts";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { SubscriptionStart } from "#kernel/log/subscription-start.ts";
import type { NamedTrigger } from "../definition/index.ts";
import type { RehearsalGate } from "./rehearsal.ts";

/** The deployment of a workflow in one environment. */
export interface Deployment {
  readonly workflowId: string;
  readonly environment: EnvironmentName;
  readonly versionId: string;
  readonly number: number;
  /** The previously deployed version. */
  readonly previousVersionId: string | null;
  /** True while its trigger is active. */
  readonly enabled: boolean;
  /** The user whose permissions its runs have. */
  readonly deployedBy: string;
  /** A subset of the user's permissions if the deployment used a token; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  /** True if the user is no longer an active member. No runs start in the user's name. */
  readonly orphaned: boolean;
  /** Required rehearsal results before another version is deployed; null for none. */
  readonly rehearsalGate: RehearsalGate | null;
}

/** A deployment with an event trigger. The matching rule is in its version. */
export interface EventDeployment {
  readonly workflowId: string;
  readonly versionId: string;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
  readonly triggerId: string;
  readonly topic: string;
  readonly since: SubscriptionStart;
}

/** SQL condition: the user of a deployment (`d`) has left. */
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

/** Lists the deployments of a workflow in all environments. */
export async function listDeployments(tx: Tx, workflowId: string): Promise<Deployment[]> {
  return (await selectDeployments(tx, workflowId).orderBy("d.environment").execute()).map(
    toDeployment,
  );
}

/** Finds deployments of this workspace with an active event trigger on these topics. */
export async function findEventDeployments(
  tx: Tx,
  environment: EnvironmentName,
  topics: readonly string[],
): Promise<EventDeployment[]> {
  const { rows } = await sql<EventDeploymentRow>`
    select d.workflow_id, d.version_id, d.deployed_by, d.permissions, t.trigger_id, t.topic,
           t.since_epoch, t.since::text as since
      from workflow_triggers t
      join workflow_deployments d on d.workflow_id = t.workflow_id and d.environment = t.environment
     where t.environment = ${environment}::environment and t.topic = any(${topics}::text[])
       and d.enabled and ${sql.raw(activeMemberSql("d.deployed_by", "d.workspace_id"))}
     order by d.workflow_id, t.trigger_id`.execute(tx);
  return rows.map((row) => ({
    workflowId: row.workflow_id,
    versionId: row.version_id,
    deployedBy: row.deployed_by,
    permissions: row.permissions ?? undefined,
    triggerId: row.trigger_id,
    topic: row.topic,
    since: { epoch: row.since_epoch, snapshot: row.since },
  }));
}

interface EventDeploymentRow {
  readonly workflow_id: string;
  readonly version_id: string;
  readonly deployed_by: string;
  readonly permissions: readonly string[] | null;
  readonly trigger_id: string;
  readonly topic: string;
  readonly since_epoch: number;
  readonly since: string;
}

/** Deploys a version to an environment. Replaces the current deployment. */
export async function upsertDeployment(
  tx: Tx,
  deployment: Omit<Deployment, "orphaned"> & { readonly at: Date },
): Promise<void> {
  const columns = {
    version_id: deployment.versionId,
    previous_version_id: deployment.previousVersionId,
    enabled: deployment.enabled,
    deployed_by: deployment.deployedBy,
    permissions: deployment.permissions ? [...deployment.permissions] : null,
    deployed_at: deployment.at,
    rehearsal_gate: deployment.rehearsalGate && JSON.stringify(deployment.rehearsalGate),
  };
  const key = { workflow_id: deployment.workflowId, environment: deployment.environment };
  await tx
    .insertInto("workflow_deployments")
    .values({ ...key, ...columns })
    .onConflict((conflict) => conflict.columns(["workflow_id", "environment"]).doUpdateSet(columns))
    .execute();
}

/** Writes the triggers of a deployment. Replaces the current ones. */
export async function replaceTriggers(
  tx: Tx,
  { workflowId: workflow_id, environment }: Pick<Deployment, "workflowId" | "environment">,
  {
    triggers,
    wasEnabled,
  }: { readonly triggers: readonly NamedTrigger[]; readonly wasEnabled: boolean },
): Promise<void> {
  await tx
    .deleteFrom("workflow_triggers")
    .where("workflow_id", "=", workflow_id)
    .where("environment", "=", environment)
    .where(
      "trigger_id",
      "not in",
      triggers.map(({ id }) => id),
    )
    .execute();
  const rows = triggers.map(({ id, trigger }) => ({
    workflow_id,
    environment,
    trigger_id: id,
    type: trigger.type,
    topic: trigger.type === "event_bus" ? trigger.topic : null,
    ...NOW,
  }));
  // A new version must not miss events since its trigger became active.
  const isKept = sql`${wasEnabled}::boolean and ${SAME_TRIGGER}`;
  await tx
    .insertInto("workflow_triggers")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["workflow_id", "environment", "trigger_id"]).doUpdateSet({
        type: sql<string>`excluded.type`,
        topic: sql<string | null>`excluded.topic`,
        since_epoch: sql<number>`case when ${isKept} then workflow_triggers.since_epoch else excluded.since_epoch end`,
        since: sql<string>`case when ${isKept} then workflow_triggers.since else excluded.since end`,
      }),
    )
    .execute();
}

const NOW = {
  since_epoch: sql<number>`(select epoch from installation)`,
  since: sql<string>`pg_current_snapshot()`,
};

const SAME_TRIGGER = sql`
  workflow_triggers.type = excluded.type
  and workflow_triggers.topic is not distinct from excluded.topic`;

/** Activates or deactivates the triggers in one environment. */
export async function setEnabled(
  tx: Tx,
  { workflowId, environment }: Pick<Deployment, "workflowId" | "environment">,
  enabled: boolean,
): Promise<void> {
  await tx
    .updateTable("workflow_deployments")
    .set({ enabled })
    .where("workflow_id", "=", workflowId)
    .where("environment", "=", environment)
    .execute();
  if (!enabled) return;
  await tx
    .updateTable("workflow_triggers")
    .set(NOW)
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
    // Gates are validated before they are stored.
    rehearsalGate: row.rehearsal_gate as RehearsalGate | null,
  };
}
