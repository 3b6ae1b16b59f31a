import semver from "semver";
import { isDeepStrictEqual } from "node:util";
import { confinementOf } from "#domains/workflows/index.ts";
import { type Caller, userIdOf } from "#kernel/access/caller.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  type Artifact,
  ArtifactChanged,
  ARTIFACTS_MAX,
  type ArtifactType,
  referTo,
  summaryOf,
  TooManyArtifacts,
} from "./artifact.ts";
import { saveSchedule } from "../jobs/schedule.ts";
import type { ArtifactInput } from "./artifact-input.ts";
import { ArtifactCreated, ArtifactDeleted, ArtifactRestored, ArtifactUpdated } from "./events.ts";
import * as store from "./store.ts";

const FIRST_VERSION = "1.0.0";

export interface NewArtifact {
  readonly name: string;
  readonly artifactType: ArtifactType;
  readonly moduleKey?: string;
  readonly description?: string;
  readonly status?: string;
}

export async function create(
  ctx: WriteContext<typeof ArtifactCreated>,
  given: NewArtifact,
  { detail, definition, stated }: ArtifactInput,
): Promise<Artifact> {
  if ((await store.count(ctx.tx)) >= ARTIFACTS_MAX) throw new Failure(TooManyArtifacts);
  const { name, artifactType, moduleKey = "default", description = "", status = "draft" } = given;
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
    ...savedBy(ctx.caller),
    created_by: userIdOf(ctx.caller),
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  await appendVersion(ctx, artifact, null);
  await saveSchedule(ctx, artifact);
  ctx.emit(ArtifactCreated, referTo(artifact), summaryOf(artifact));
  return artifact;
}

export interface Change {
  readonly name?: string;
  readonly moduleKey?: string;
  readonly description?: string;
  readonly status?: string;
}

/** A detail that was read, together with the version that it changes. */
export interface DraftOfVersion {
  readonly draft: ArtifactInput;
  readonly of: number;
}

/** Another source, schedule or limit makes a new version; another name or status does not. */
export async function update(
  ctx: WriteContext<typeof ArtifactUpdated>,
  id: string,
  { change, read }: { readonly change: Change; readonly read: DraftOfVersion | undefined },
): Promise<Artifact> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  // What was given was put together with a detail that is no longer the present one.
  if (read && read.of !== before.versionNumber) throw new Failure(ArtifactChanged);
  const draft = read?.draft;
  const { name, moduleKey, description, status } = change;
  const changed = draft !== undefined && !isDeepStrictEqual(draft.detail, before.detail);
  const after = await store.update(ctx.tx, id, {
    name,
    module_key: moduleKey,
    description,
    status,
    ...(changed && versionOf(draft, before)),
    ...savedBy(ctx.caller),
    updated_at: ctx.now,
  });
  if (changed) await appendVersion(ctx, after, null);
  await saveSchedule(ctx, after, before);
  const { changes, ...states } = diffResource(summaryOf(before), summaryOf(after));
  const named = changed ? [...changes, "detail"] : changes;
  ctx.emit(ArtifactUpdated, referTo(after), { ...states, changes: named });
  return after;
}

/** An earlier version becomes the newest; what came between stays in the list. */
export async function restore(
  ctx: WriteContext<typeof ArtifactRestored>,
  id: string,
  number: number,
): Promise<Artifact> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const { detail, definition } = await store.getVersion(ctx.tx, id, number);
  const after = await store.update(ctx.tx, id, {
    ...versionOf({ detail, definition, stated: undefined }, before),
    ...savedBy(ctx.caller),
    updated_at: ctx.now,
  });
  await appendVersion(ctx, after, number);
  await saveSchedule(ctx, after, before);
  ctx.emit(ArtifactRestored, referTo(after), { ...summaryOf(after), restoredFrom: number });
  return after;
}

export async function remove(
  ctx: WriteContext<typeof ArtifactDeleted>,
  id: string,
): Promise<Artifact> {
  const artifact = await store.lock(ctx.tx, id);
  ctx.expectRevision(artifact.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(ArtifactDeleted, referTo(artifact), summaryOf(artifact));
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

/** The source's own version where that is new, and else the next patch. */
function versionOf({ detail, definition, stated }: ArtifactInput, before: Artifact) {
  const isNew = stated !== undefined && stated !== before.version;
  return {
    detail,
    definition,
    version: isNew ? stated : (semver.inc(before.version, "patch") ?? FIRST_VERSION),
    version_number: before.versionNumber + 1,
  };
}

function savedBy(caller: Caller) {
  return { run_as: userIdOf(caller), permissions: confinementOf(caller) ?? null };
}
