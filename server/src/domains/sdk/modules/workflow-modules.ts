/** Modules of scripts in workflows: checked when a definition is saved, pinned when it is deployed. */
import {
  type DeploymentFollower,
  nodesIn,
  type ReferenceCheck,
  script,
  type ScriptModuleSource,
} from "#domains/workflows/index.ts";
import { findImports } from "#kernel/sandbox/module-import.ts";
import { linkNewest, TOO_MANY_MODULES, toScriptModules } from "./linked-modules.ts";
import { forgetPins, hasPins, savePins } from "./pins.ts";

function sourceOf({ type, config }: { type: string; config: Readonly<Record<string, unknown>> }) {
  const { source } = config;
  return type === script.type && typeof source === "string" ? [source] : [];
}

/** Finds the scripts that import a module which is not there. */
export const checkModuleImports: ReferenceCheck = async ({ tx }, { nodes }) => {
  const errors = [];
  for (const node of nodes) {
    const [source = ""] = sourceOf(node);
    if (findImports(source).length === 0) continue;
    const { missing, isCut } = await linkNewest(tx, [source]);
    const path = `${node.path}/config/source`;
    if (isCut) errors.push({ path, message: TOO_MANY_MODULES });
    errors.push(
      ...missing.map((name) => ({ path, message: `imports ${name}, which is not there` })),
    );
  }
  return { errors };
};

/** The modules that a source may be inspected with before it is saved. */
export const moduleSource: ScriptModuleSource = {
  load: async (tx, source) => toScriptModules((await linkNewest(tx, [source])).modules),
};

/** Pins the newest versions with each deployment; a roll-back keeps those that the version had. */
export const pinFollower: DeploymentFollower = {
  async deployed({ tx }, { workflowId, environment, versionId, previousVersionId, ...about }) {
    const user = { versionId, environment };
    if (!(about.isRollback && (await hasPins(tx, user)))) {
      const sources = nodesIn(about.definition).flatMap(sourceOf);
      await savePins(tx, user, (await linkNewest(tx, sources)).modules);
    }
    const kept = [versionId, ...(previousVersionId === null ? [] : [previousVersionId])];
    await forgetPins(tx, { workflowId, environment }, kept);
  },
};
