import { sql } from "kysely";
import type { ModuleUpdate } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { findImports, MODULE_NAME } from "#kernel/sandbox/module-import.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import {
  linkKept,
  linkNewest,
  type ModuleSet,
  TOO_MANY_MODULES,
  toModuleSet,
} from "./linked-modules.ts";
import { specifiersOf, toProgram } from "./module-program.ts";
import { readKept, readLinked, savePins } from "./pins.ts";

const SOURCE = "/detail/scriptSource";

/**
 * Links a saved artifact with its imported modules, and rejects import cycles. Linked modules keep their versions
 * unless `update` names them: another user's edit of a module must not run with the author's permissions only because
 * the author changed something else.
 */
export async function linkArtifact(
  tx: Tx,
  artifact: Artifact,
  update: ModuleUpdate = false,
): Promise<void> {
  const { id, name, artifactType, detail } = artifact;
  const isModule = artifactType === "script_module";
  if (isModule && !new RegExp(MODULE_NAME).test(name)) {
    throw invalidField("/name", "of a module can only contain letters, digits, `_` and `-`");
  }
  // Two concurrent saves could create a cycle that neither detects.
  if (isModule) await lockModules(tx);
  // A module runs with the pins of the importing script. Its own pins only detect cycles and usage.
  const kept = await readKept(tx, { artifactId: id }, isModule || update);
  const { modules, missing, isCut } = await linkKept(tx, [detail.scriptSource], kept);
  if (isCut) throw invalidField(SOURCE, TOO_MANY_MODULES);
  const [first] = missing;
  if (first !== undefined) throw invalidField(SOURCE, `imports ${first}, which does not exist`);
  const circle = modules.find(({ moduleId }) => moduleId === id);
  if (circle) throw invalidField(SOURCE, `imports ${circle.specifier}, which is a circular import`);
  await savePins(tx, { artifactId: id }, modules);
}

async function lockModules(tx: Tx): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('modules of ' || current_setting('millrace.workspace'), 0))`.execute(
    tx,
  );
}

/** The modules that an artifact was linked with and runs with. */
export async function loadModules(
  { db }: Pick<Platform, "db">,
  partition: Partition,
  artifact: Artifact,
): Promise<ModuleSet> {
  const { id, artifactType, detail } = artifact;
  if (artifactType === "script_module") {
    const own = new Map(specifiersOf(artifact).map((name) => [name, detail.scriptSource]));
    const linkage = await db.read(partition, (tx) => linkNewest(tx, [toProgram(artifact)], own));
    return toModuleSet(linkage.modules);
  }
  if (findImports(detail.scriptSource).length === 0) return { modules: undefined, authors: [] };
  return db.read(partition, (tx) => readLinked(tx, { artifactId: id }, detail.scriptSource));
}
