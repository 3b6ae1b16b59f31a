/** Others take note when a version is deployed, in the same transaction: what it is made of is settled then. */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { Definition } from "../definition/index.ts";

/** A version that is the active one of an environment from now on. */
export interface DeployedVersion {
  readonly workflowId: string;
  readonly environment: EnvironmentName;
  readonly versionId: string;
  readonly definition: Definition;
  /** The version that was deployed there until now, which may be the same; null for the first deployment. */
  readonly currentVersionId: string | null;
  /** Whether linked modules move to their newest versions: all, none, or those named. */
  readonly updateModules: ModuleUpdate;
  /** The version that a roll-back would bring back. */
  readonly previousVersionId: string | null;
  /** True when it is to be again what it was. */
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
  /** In a transaction that may write. */
  readonly deployed: (ctx: Pick<ReadContext, "tx">, version: DeployedVersion) => Promise<void>;
}

/** Where domains contribute what follows. */
export const DeploymentFollowerPoint = extensionPoint<DeploymentFollower>(
  "workflows.deployment_followers",
);

/** A module that scripts of a workflow import and whose newest version is not the one that is deployed. */
export const ModuleChange = Type.Object(
  {
    name: Type.String({ description: "Name in imports: `module:money`" }),
    from: nullable(Type.Integer({ description: "The deployed version. Null if there is none" })),
    to: Type.Integer({ description: "The newest version" }),
    savedBy: Type.Object({ id: Type.String(), name: Type.String() }),
    savedAt: Time,
  },
  { title: "ModuleChange" },
);
export type ModuleChange = Static<typeof ModuleChange>;

export interface NextDeployment {
  readonly environment: EnvironmentName;
  /** The version that is deployed there; null where none is. */
  readonly currentVersionId: string | null;
  readonly definition: Definition;
}

type ModuleChangeFinder = (tx: Tx, next: NextDeployment) => Promise<readonly ModuleChange[]>;

/** Where the domain that links modules lists what a deployment could change of them. */
export const ModuleChangePoint = extensionPoint<ModuleChangeFinder>("workflows.module_changes");
