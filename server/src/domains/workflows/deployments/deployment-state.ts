import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";

export interface DeployedState {
  readonly id: string;
  readonly name: string;
  readonly isDeployed: boolean;
}

/** Reports which workflows have a deployed version in an environment. */
export async function listDeployed(
  tx: Tx,
  ids: readonly string[],
  environment: EnvironmentName,
): Promise<DeployedState[]> {
  const { rows } = await sql<DeployedState>`
    select w.id, w.name,
           exists (select from workflow_deployments d
                    where d.workflow_id = w.id and d.environment = ${environment}) as "isDeployed"
      from workflows w
     where w.id = any (${ids}::text[])`.execute(tx);
  return rows;
}
