/** Pins: the version of each module that a script runs with, regardless of later changes of the module. */
import type { ModuleUpdate } from "#domains/workflows/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { queryRows } from "#kernel/db/statement.ts";
import {
  linkNewest,
  type LinkedModule,
  type ModuleSet,
  selectImported,
  toModuleSet,
  toScriptModules,
} from "./linked-modules.ts";

/** An importing script: an artifact, or the scripts of a workflow version in an environment. */
export type ModuleUser =
  | { readonly artifactId: string }
  | { readonly versionId: string; readonly environment: EnvironmentName };

const ARTIFACT = "p.artifact_id = $1";
const VERSION = "p.version_id = $1 and p.environment = $2";
const INSERT = `
  insert into module_pins (artifact_id, version_id, environment, specifier, module_id, number)
  select $1, $2, $3, p.specifier, p.module_id, p.number
    from unnest($4::text[], $5::text[], $6::integer[]) as p (specifier, module_id, number)`;

/** Pins modules and replaces earlier pins. */
export async function savePins(
  tx: Tx,
  user: ModuleUser,
  modules: readonly LinkedModule[],
): Promise<void> {
  const [where, values] = whereOf(user);
  await queryRows(tx, `delete from module_pins p where ${where}`, values);
  if (modules.length === 0) return;
  await queryRows(tx, INSERT, [
    "artifactId" in user ? user.artifactId : null,
    "versionId" in user ? user.versionId : null,
    "versionId" in user ? user.environment : null,
    modules.map(({ specifier }) => specifier),
    modules.map(({ moduleId }) => moduleId),
    modules.map(({ number }) => number),
  ]);
}

/** Reads the pinned modules of a script. */
export async function readPinned(tx: Tx, user: ModuleUser): Promise<readonly LinkedModule[]> {
  const [where, values] = whereOf(user);
  const text = `
    select p.specifier, p.module_id as "moduleId", p.number, v.detail ->> 'scriptSource' as source,
           case when a.version_number = v.number then a.run_as else v.author_id end as "runAs",
           case when a.version_number = v.number then a.permissions end as permissions
      from module_pins p
      join artifacts a on a.id = p.module_id
      join artifact_versions v on v.artifact_id = p.module_id and v.number = p.number
     where ${where}`;
  return queryRows<LinkedModule>(tx, text, values);
}

/** Reads the pinned modules that keep their versions: all without a requested update. */
export async function readKept(
  tx: Tx,
  user: ModuleUser,
  update: ModuleUpdate,
): Promise<readonly LinkedModule[]> {
  if (update === true) return [];
  const pinned = await readPinned(tx, user);
  return pinned.filter(({ specifier }) => update === false || !update.includes(specifier));
}

/**
 * Reads the pinned modules of a script and those next to it. If it was never pinned (a test of an undeployed script),
 * the newest.
 */
export async function readLinked(tx: Tx, user: ModuleUser, source: string): Promise<ModuleSet> {
  const pinned = await readPinned(tx, user);
  if (pinned.length === 0) return toModuleSet((await linkNewest(tx, [source])).modules);
  const imported = selectImported(source, toScriptModules(pinned) ?? {});
  return toModuleSet(pinned.filter(({ specifier }) => Object.hasOwn(imported, specifier)));
}

export async function hasPins(tx: Tx, user: ModuleUser): Promise<boolean> {
  const [where, values] = whereOf(user);
  return (
    (await queryRows(tx, `select from module_pins p where ${where} limit 1`, values)).length > 0
  );
}

/** True if a script runs with a version of this module. */
export async function isPinned(tx: Tx, moduleId: string): Promise<boolean> {
  const text = "select from module_pins where module_id = $1 limit 1";
  return (await queryRows(tx, text, [moduleId])).length > 0;
}

const FORGET = `
  delete from module_pins p using workflow_versions v
   where v.id = p.version_id and v.workflow_id = $1 and p.environment = $2 and p.version_id <> all ($3::text[])`;

/** Deletes the pins of versions that are neither deployed nor targets of a roll-back. */
export async function forgetPins(
  tx: Tx,
  { workflowId, environment }: { readonly workflowId: string; readonly environment: string },
  kept: readonly string[],
): Promise<void> {
  await queryRows(tx, FORGET, [workflowId, environment, kept]);
}

function whereOf(user: ModuleUser): readonly [string, readonly unknown[]] {
  return "artifactId" in user
    ? [ARTIFACT, [user.artifactId]]
    : [VERSION, [user.versionId, user.environment]];
}
