/** Others take note when a version is deployed, in the same transaction: what it is made of is settled then. */
import type { ReadContext } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { Definition } from "../definition/index.ts";

/** A version that is the active one of an environment from now on. */
export interface DeployedVersion {
  readonly workflowId: string;
  readonly environment: EnvironmentName;
  readonly versionId: string;
  readonly definition: Definition;
  /** The version that a roll-back would bring back. */
  readonly previousVersionId: string | null;
  /** True when it is to be again what it was. */
  readonly isRollback: boolean;
}

export interface DeploymentFollower {
  /** In a transaction that may write. */
  readonly deployed: (ctx: Pick<ReadContext, "tx">, version: DeployedVersion) => Promise<void>;
}

/** Where domains contribute what follows. */
export const DeploymentFollowerPoint = extensionPoint<DeploymentFollower>(
  "workflows.deployment_followers",
);
