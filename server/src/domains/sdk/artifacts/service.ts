import { newHookToken } from "../hooks/address.ts";
import semver from "semver";
import { isDeepStrictEqual } from "node:util";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import type { ModuleUpdate } from "#domains/workflows/index.ts";
import { type Caller, userIdOf } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  type Artifact,
  ArtifactChanged,
  ARTIFACTS_MAX,
  type ArtifactType,
  artifactRef,
  ModuleInUse,
  summaryOf,
  TooManyArtifacts,
} from "./artifact.ts";
import { saveSchedule } from "../jobs/schedule.ts";
import { linkArtifact } from "../modules/link-artifact.ts";
import { findArtifactModuleChanges } from "../modules/workflow-modules.ts";
import { isPinned } from "../modules/pins.ts";
import type { ArtifactInput } from "./artifact-input.ts";
import { ArtifactCreated, ArtifactDeleted, ArtifactRestored, ArtifactUpdated } from "./events.ts";
import * as store from "./store.ts";

const FIRST_VERSION = "1.0.0";

export interface ArtifactFields {
  readonly name: string;
  readonly artifactType: ArtifactType;
  readonly moduleKey?: string;
  readonly description?: string;
  readonly status?: string;
}

export async function create(
  ctx: WriteContext<typeof ArtifactCreated>,
  fields: ArtifactFields,
  { detail, definition, declaredVersion: stated }: ArtifactInput,
): Promise<Artifact> {
  if ((await store.count(ctx.tx)) >= ARTIFACTS_MAX) throw new Failure(TooManyArtifacts);
  const { name, artifactType, moduleKey = "default", description = "", status = "draft" } = fields;
  const artifact = await store.insert(ctx.tx, {
    id: newId("art", ctx.now.getTime()),
    name,
    artifact_type: artifactType,
    module_key: moduleKey,
    description,
    status,
    detail,
    definition,
    version: stated ?? FIRST_VERSION,
    hook_token: artifactType === "webhook_handler" ? newHookToken() : null,
    ...runAsColumns(ctx.caller),
    created_by: userIdOf(ctx.caller),
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  await appendVersion(ctx, artifact, null);
  await linkArtifact(ctx.tx, artifact);
  await saveSchedule(ctx, artifact);
  ctx.emit(ArtifactCreated, artifactRef(artifact), summaryOf(artifact));
  return artifact;
}

export interface ArtifactChange {
  readonly name?: string;
  readonly moduleKey?: string;
  readonly description?: string;
  readonly status?: string;
}

/** A validated detail, with the version that it is based on. */
export interface DetailChange {
  readonly input: ArtifactInput;
  readonly versionNumber: number;
}

interface ArtifactUpdate {
  readonly change: ArtifactChange;
  readonly detailChange: DetailChange | undefined;
  /** Which linked modules are updated to their newest versions. */
  readonly updateModules?: ModuleUpdate | undefined;
}

/** A changed source, schedule or limit creates a new version; a changed name or status does not. */
export async function update(
  ctx: WriteContext<typeof ArtifactUpdated>,
  id: string,
  { change, detailChange, updateModules = false }: ArtifactUpdate,
): Promise<Artifact> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  // The input was merged with a detail that is no longer current.
  if (detailChange && detailChange.versionNumber !== before.versionNumber)
    throw new Failure(ArtifactChanged);
  const input = detailChange?.input;
  const { name, moduleKey, description, status } = change;
  const isNewVersion = input !== undefined && !isDeepStrictEqual(input.detail, before.detail);
  const movesModules = updateModules !== false && (await willMove(ctx.tx, before, updateModules));
  const isActivated = status === "active" && before.status !== "active";
  const after = await store.update(ctx.tx, id, {
    name,
    module_key: moduleKey,
    description,
    status,
    ...(isNewVersion && nextVersion(input, before)),
    // It runs in the name of the member who wrote its code or activated it, not of one who renamed it.
    ...((isNewVersion || isActivated || movesModules) && runAsColumns(ctx.caller)),
    updated_at: ctx.now,
  });
  if (isNewVersion) await appendVersion(ctx, after, null);
  const isRenamed = after.name !== before.name || after.moduleKey !== before.moduleKey;
  if (isNewVersion || isRenamed || movesModules) await linkArtifact(ctx.tx, after, updateModules);
  await saveSchedule(ctx, after, before);
  const { changes, ...states } = diffResource(summaryOf(before), summaryOf(after));
  const changedFields = [
    ...changes,
    ...(isNewVersion ? ["detail"] : []),
    ...(movesModules ? ["modules"] : []),
  ];
  ctx.emit(ArtifactUpdated, artifactRef(after), { ...states, changes: changedFields });
  return after;
}

/** True if a requested update of a linked module finds a newer version. */
async function willMove(tx: Tx, artifact: Artifact, update: ModuleUpdate): Promise<boolean> {
  const changes = await findArtifactModuleChanges(tx, artifact);
  return changes.some(({ name }) => update === true || (update !== false && update.includes(name)));
}

/** Appends an earlier version as the newest. The versions in between are kept. */
export async function restore(
  ctx: WriteContext<typeof ArtifactRestored>,
  id: string,
  number: number,
): Promise<Artifact> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const { detail, definition } = await store.getVersion(ctx.tx, id, number);
  const after = await store.update(ctx.tx, id, {
    ...nextVersion({ detail, definition, declaredVersion: undefined }, before),
    ...runAsColumns(ctx.caller),
    updated_at: ctx.now,
  });
  await appendVersion(ctx, after, number);
  await linkArtifact(ctx.tx, after);
  await saveSchedule(ctx, after, before);
  ctx.emit(ArtifactRestored, artifactRef(after), { ...summaryOf(after), restoredFrom: number });
  return after;
}

export async function remove(
  ctx: WriteContext<typeof ArtifactDeleted>,
  id: string,
): Promise<Artifact> {
  const artifact = await store.lock(ctx.tx, id);
  ctx.expectRevision(artifact.revision);
  if (await isPinned(ctx.tx, id)) throw new Failure(ModuleInUse);
  await store.remove(ctx.tx, id);
  ctx.emit(ArtifactDeleted, artifactRef(artifact), summaryOf(artifact));
  return artifact;
}

function appendVersion(
  { tx, caller, now }: WriteContext<never>,
  artifact: Artifact,
  restoredFrom: number | null,
): Promise<void> {
  const { id, name } = caller.actor;
  return store.appendVersion(tx, artifact, { author: { id, name }, restoredFrom, at: now });
}

/** The version declared by the source if it is new, otherwise the next patch version. */
function nextVersion(
  { detail, definition, declaredVersion: stated }: ArtifactInput,
  before: Artifact,
) {
  const isNew = stated !== undefined && stated !== before.version;
  return {
    detail,
    definition,
    version: isNew ? stated : (semver.inc(before.version, "patch") ?? FIRST_VERSION),
    version_number: before.versionNumber + 1,
  };
}

function runAsColumns(caller: Caller) {
  const { runAs, permissions } = authorityOf(caller);
  return { run_as: runAs, permissions: permissions && [...permissions] };
}
