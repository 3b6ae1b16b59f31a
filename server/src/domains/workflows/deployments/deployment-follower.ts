/** Deployment followers react to a deployment in the same transaction, when its content is fixed. */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { Definition } from "../definition/index.ts";

/** The version that becomes active in an environment. */
export interface DeployedVersion {
  readonly workflowId: string;
  readonly environment: EnvironmentName;
  readonly versionId: string;
  readonly definition: Definition;
  /** The version deployed before, which can be the same. Null for the first deployment. */
  readonly currentVersionId: string | null;
  /** Linked modules to update to their newest version: all, none, or the named ones. */
  readonly updateModules: ModuleUpdate;
  /** The rollback version. */
  readonly previousVersionId: string | null;
  /** True for a rollback, which restores the earlier modules too. */
  readonly isRollback: boolean;
}

/** All modules, none, or those with these specifiers. */
export const ModuleUpdate = Type.Union(
  [
    Type.Boolean(),
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 500,
      description: "Names in imports, such as `module:money`",
    }),
  ],
  { description: "Whether script modules move to their newest versions: all, or the given ones" },
);
export type ModuleUpdate = boolean | readonly string[];

export interface DeploymentFollower {
  /** Called in a write transaction. */
  readonly deployed: (ctx: Pick<ReadContext, "tx">, version: DeployedVersion) => Promise<void>;
}

export const DeploymentFollowerPoint = extensionPoint<DeploymentFollower>(
  "workflows.deployment_followers",
);

/** A module imported by scripts of a workflow, with a newer version than the deployed one. */
export const ModuleChange = Type.Object(
  {
    name: Type.String({ description: "Name in imports: `module:money`" }),
    from: nullable(
      Type.Integer({ description: "The deployed version. Null if the workflow was not deployed" }),
    ),
    to: Type.Integer({ description: "The newest version" }),
    savedBy: Type.Object({ id: Type.String(), name: Type.String() }),
    savedAt: Time,
  },
  { title: "ModuleChange" },
);
export type ModuleChange = Static<typeof ModuleChange>;

export interface NextDeployment {
  readonly environment: EnvironmentName;
  /** The deployed version; null if none is deployed. */
  readonly currentVersionId: string | null;
  readonly definition: Definition;
}

type ModuleChangeFinder = (tx: Tx, next: NextDeployment) => Promise<readonly ModuleChange[]>;

/** Extension point through which the modules domain lists changes by a deployment. */
export const ModuleChangePoint = extensionPoint<ModuleChangeFinder>("workflows.module_changes");
