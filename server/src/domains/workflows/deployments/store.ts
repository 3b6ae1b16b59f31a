import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database, EnvironmentName } from "#kernel/db/database.ts";
import type { Trigger } from "../definition/index.ts";

/** What is deployed in one environment. */
export interface Deployment {
  readonly workflowId: string;
  readonly environment: EnvironmentName;
  readonly versionId: string;
  readonly number: number;
  /** The one that was active before. */
  readonly previousVersionId: string | null;
  /** Whether its trigger is on. */
  readonly enabled: boolean;
  /** Whose permissions its runs have. */
  readonly deployedBy: string;
}

/** A deployment that events start. */
export interface ListeningDeployment {
  readonly workflowId: string;
  readonly versionId: string;
  readonly deployedBy: string;
  readonly topic: string;
  readonly eventType: string | undefined;
  readonly filter: Readonly<Record<string, unknown>> | undefined;
}

/** A deployment that starts by the clock, wherever it is. */
export interface ScheduledDeployment {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly workflowId: string;
  readonly versionId: string;
  readonly deployedBy: string;
  readonly deployedAt: string;
  readonly cron: string;
  readonly timezone: string | null;
}

export async function findDeployment(
  tx: Tx,
  workflowId: string,
  environment: EnvironmentName,
): Promise<Deployment | undefined> {
  const row = await deploymentsOf(tx, workflowId)
    .where("d.environment", "=", environment)
    .executeTakeFirst();
  return row && toDeployment(row);
}

/** Everywhere that it is deployed. */
export async function allDeployments(tx: Tx, workflowId: string): Promise<Deployment[]> {
  return (await deploymentsOf(tx, workflowId).orderBy("d.environment").execute()).map(toDeployment);
}

/** Those of this workspace whose trigger is on and waits for events. */
export async function listeningDeployments(
  tx: Tx,
  environment: EnvironmentName,
): Promise<ListeningDeployment[]> {
  const rows = await tx
    .selectFrom("workflow_deployments as d")
    .innerJoin("workflow_versions as v", "v.id", "d.version_id")
    .select(["d.workflow_id", "d.version_id", "d.deployed_by", "d.topic"])
    .select(sql<Listening>`v.definition -> 'trigger'`.as("trigger"))
    .where("d.environment", "=", environment)
    .where("d.enabled", "=", true)
    .where("d.trigger_type", "=", "event_bus")
    .orderBy("d.workflow_id")
    .execute();
  return rows.map(({ trigger, ...row }) => ({
    workflowId: row.workflow_id,
    versionId: row.version_id,
    deployedBy: row.deployed_by,
    topic: trigger.topic,
    eventType: trigger.eventType,
    filter: trigger.filter,
  }));
}

/** Those of all workspaces whose trigger is on and is a schedule. */
export function scheduledDeployments(db: Database): Promise<ScheduledDeployment[]> {
  return db.system<ScheduledDeployment>(
    `select d.workspace_id as workspace, d.environment, d.workflow_id as "workflowId",
            d.version_id as "versionId", d.deployed_by as "deployedBy", d.deployed_at as "deployedAt",
            v.definition -> 'trigger' ->> 'cron' as cron,
            v.definition -> 'trigger' ->> 'timezone' as timezone
       from workflow_deployments d join workflow_versions v on v.id = d.version_id
      where d.enabled and d.trigger_type = 'schedule'
      order by d.workflow_id, d.environment`,
  );
}

/** Puts a version into an environment, in the place of what is there. */
export async function deploy(
  tx: Tx,
  deployment: Deployment & { readonly trigger: Trigger; readonly at: Date },
): Promise<void> {
  const { trigger } = deployment;
  const columns = {
    version_id: deployment.versionId,
    previous_version_id: deployment.previousVersionId,
    enabled: deployment.enabled,
    deployed_by: deployment.deployedBy,
    deployed_at: deployment.at,
    trigger_type: trigger.type,
    topic: trigger.type === "event_bus" ? trigger.topic : null,
  };
  const place = { workflow_id: deployment.workflowId, environment: deployment.environment };
  await tx
    .insertInto("workflow_deployments")
    .values({ ...place, ...columns })
    .onConflict((conflict) => conflict.columns(["workflow_id", "environment"]).doUpdateSet(columns))
    .execute();
}

/** Turns the trigger on or off in one environment. */
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
}

type Listening = Extract<Trigger, { type: "event_bus" }>;

function deploymentsOf(tx: Tx, workflowId: string) {
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
    ])
    .where("d.workflow_id", "=", workflowId);
}

type Row = Awaited<ReturnType<ReturnType<typeof deploymentsOf>["executeTakeFirstOrThrow"]>>;

function toDeployment(row: Row): Deployment {
  return {
    workflowId: row.workflow_id,
    environment: row.environment,
    versionId: row.version_id,
    number: row.number,
    previousVersionId: row.previous_version_id,
    enabled: row.enabled,
    deployedBy: row.deployed_by,
  };
}
