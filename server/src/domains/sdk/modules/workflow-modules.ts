/** Modules of scripts in workflows and artifacts: checked, pinned, and compared with their newest versions. */
import {
  type DeploymentFollower,
  type ModuleChange,
  type ModuleUpdate,
  type NextDeployment,
  nodesIn,
  type ReferenceCheck,
  script,
  type ScriptModuleSource,
} from "#domains/workflows/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { findImports } from "#kernel/sandbox/module-import.ts";
import {
  findNewest,
  type LinkedModule,
  linkKept,
  linkNewest,
  TOO_MANY_MODULES,
  toScriptModules,
} from "./linked-modules.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { forgetPins, hasPins, readKept, readPinned, savePins } from "./pins.ts";

function sourceOf({ type, config }: { type: string; config: Readonly<Record<string, unknown>> }) {
  const { source } = config;
  return type === script.type && typeof source === "string" ? [source] : [];
}

/** Finds scripts that import a missing module. */
export const checkModuleImports: ReferenceCheck = async ({ tx }, { nodes }) => {
  const errors = [];
  for (const node of nodes) {
    const [source = ""] = sourceOf(node);
    if (findImports(source).length === 0) continue;
    const { missing, isCut } = await linkNewest(tx, [source]);
    const path = `${node.path}/config/source`;
    if (isCut) errors.push({ path, message: TOO_MANY_MODULES });
    errors.push(
      ...missing.map((name) => ({ path, message: `imports ${name}, which does not exist` })),
    );
  }
  return { errors };
};

/** The modules for inspecting an unsaved source. */
export const moduleSource: ScriptModuleSource = {
  load: async (tx, source) => toScriptModules((await linkNewest(tx, [source])).modules),
};

/** Reads the modules that keep their deployed versions, because no update was requested. */
async function readDeployed(
  tx: Tx,
  { environment, currentVersionId }: Pick<NextDeployment, "environment" | "currentVersionId">,
  update: ModuleUpdate,
): Promise<readonly LinkedModule[]> {
  return currentVersionId === null
    ? []
    : readKept(tx, { versionId: currentVersionId, environment }, update);
}

/** Pins modules with each deployment. Earlier imports keep their versions, and a roll-back keeps its own. */
export const pinFollower: DeploymentFollower = {
  async deployed({ tx }, { workflowId, environment, versionId, previousVersionId, ...about }) {
    const user = { versionId, environment };
    if (!(about.isRollback && (await hasPins(tx, user)))) {
      const sources = nodesIn(about.definition).flatMap(sourceOf);
      const kept = await readDeployed(tx, { environment, ...about }, about.updateModules);
      await savePins(tx, user, (await linkKept(tx, sources, kept)).modules);
    }
    const kept = [versionId, ...(previousVersionId === null ? [] : [previousVersionId])];
    await forgetPins(tx, { workflowId, environment }, kept);
  },
};

const SAVED = `
  select v.artifact_id as id, v.author_id as "authorId", v.author_name as "authorName", v.created_at as "savedAt"
    from unnest($1::text[], $2::integer[]) as m (id, number)
    join artifact_versions v on v.artifact_id = m.id and v.number = m.number`;

interface SavedVersion {
  readonly id: string;
  readonly authorId: string;
  readonly authorName: string;
  readonly savedAt: string;
}

/** Lists modules of scripts with a newer version than the deployed one, and new ones. */
export async function findModuleChanges(tx: Tx, next: NextDeployment): Promise<ModuleChange[]> {
  const sources = nodesIn(next.definition).flatMap(sourceOf);
  return listChanges(tx, sources, await readDeployed(tx, next, false));
}

/** Lists imported modules of an artifact with a newer version than the linked one. */
export async function findArtifactModuleChanges(
  tx: Tx,
  artifact: Pick<Artifact, "id" | "detail">,
): Promise<ModuleChange[]> {
  const pinned = await readPinned(tx, { artifactId: artifact.id });
  return listChanges(tx, [artifact.detail.scriptSource], pinned);
}

async function listChanges(
  tx: Tx,
  sources: readonly string[],
  kept: readonly LinkedModule[],
): Promise<ModuleChange[]> {
  const { modules } = await linkKept(tx, sources, kept);
  const deployed = new Map(kept.map(({ specifier, number }) => [specifier, number]));
  const newest = await findNewest(
    tx,
    modules.map(({ specifier }) => specifier),
  );
  const changed = newest.filter(({ specifier, number }) => deployed.get(specifier) !== number);
  const saved = await queryRows<SavedVersion>(tx, SAVED, [
    changed.map(({ moduleId }) => moduleId),
    changed.map(({ number }) => number),
  ]);
  const byId = new Map(saved.map((version) => [version.id, version]));
  return changed.flatMap(({ specifier, moduleId, number }) => {
    const version = byId.get(moduleId);
    if (!version) return [];
    return {
      name: specifier,
      from: deployed.get(specifier) ?? null,
      to: number,
      savedBy: { id: version.authorId, name: version.authorName },
      savedAt: new Date(version.savedAt).toISOString(),
    };
  });
}
