import { isDeepStrictEqual } from "node:util";
import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Definition } from "../definition/index.ts";
import * as events from "../events.ts";
import { type WorkflowChangeContext, lockToChange } from "../service.ts";
import * as workflows from "../store.ts";
import { workflowEventData, workflowRef, type StoredWorkflow } from "../workflow.ts";
import { appendVersion } from "./append-version.ts";
import { type Difference, diffDefinitions } from "./diff.ts";
import { diffSteps } from "./step-diff.ts";
import * as store from "./store.ts";
import { versionRef, type Version, VersionIsActive, versionEventData } from "./version.ts";

type In<C> = C & { readonly workspace: WorkspaceRef };
type Path = { readonly id: string; readonly versionId: string };

/** Creates a draft from the current definition, also if it equals the newest version. */
export async function snapshot(
  ctx: In<WriteContext<typeof events.VersionCreated>>,
  id: string,
  about: { readonly label?: string | undefined; readonly changeSummary?: string | undefined },
): Promise<Version> {
  const { definition, newest } = await lockToChange(ctx, id);
  const number = newest.version + 1;
  await workflows.update(ctx.tx, id, { newest: number, updated_at: ctx.now });
  const { version, emitCreated } = await appendVersion(ctx, {
    workflowId: id,
    number,
    definition,
    ...about,
  });
  emitCreated();
  return version;
}

/** Sets or removes the label of a version. Other fields of a version cannot change. */
export async function relabel(
  ctx: WriteContext<typeof events.VersionLabelled>,
  path: Path,
  label: string | null,
): Promise<Version> {
  const { before } = await lockVersion(ctx, path);
  ctx.expectRevision(before.revision);
  if (before.label === label) return before;
  return setLabel(ctx, before, label);
}

/** Labels a version of a locked workflow. */
export async function setLabel(
  ctx: WriteContext<typeof events.VersionLabelled>,
  before: Version,
  label: string | null,
): Promise<Version> {
  await store.setLabel(ctx.tx, before.id, label);
  const after = await getVersionEntry(ctx.tx, { id: before.workflowId, versionId: before.id });
  const change = diffResource(versionEventData(before), versionEventData(after));
  ctx.emit(events.VersionLabelled, versionRef(after), change);
  return after;
}

/** Replaces the current definition by that of a version. No version is created or changed. */
export async function restore(
  ctx: WriteContext<typeof events.WorkflowRestored>,
  { id, versionId }: Path,
): Promise<StoredWorkflow> {
  await lockToChange(ctx, id);
  const { definition, version } = await store.get(ctx.tx, id, { id: versionId });
  await workflows.update(ctx.tx, id, {
    name: definition.name,
    definition: JSON.stringify(definition),
    updated_at: ctx.now,
  });
  const workflow = await workflows.get(ctx.tx, id);
  const data = { ...workflowEventData(workflow), versionId, version };
  ctx.emit(events.WorkflowRestored, workflowRef(workflow), data);
  return workflow;
}

/** Archives a version: it cannot be deployed, and retention keeps it. */
export async function archive(
  ctx: WriteContext<typeof events.VersionArchived>,
  path: Path,
): Promise<Version> {
  const { before, workflow } = await lockVersion(ctx, path);
  if (before.status === "archived") return before;
  if (before.status === "active") throw new Failure(VersionIsActive);
  await store.archive(ctx.tx, before.id);
  await workflows.update(ctx.tx, workflow.id, { updated_at: ctx.now });
  const after = await getVersionEntry(ctx.tx, path);
  ctx.emit(events.VersionArchived, versionRef(after), versionEventData(after));
  return after;
}

/** One side of a comparison: a version by id or number, or the current definition. */
export type Side = { readonly id: string | null; readonly version: number | null };

/** How two definitions of one workflow differ. */
export async function compare(
  tx: Tx,
  id: string,
  refs: { readonly a: string; readonly b: string },
): Promise<Difference & { readonly from: Side; readonly to: Side }> {
  const workflow = await workflows.get(tx, id);
  const [a, b] = [await readSide(tx, workflow, refs.a), await readSide(tx, workflow, refs.b)];
  return { from: a.side, to: b.side, ...diffDefinitions(a.definition, b.definition) };
}

/** The difference between an unsaved and a saved definition. */
export async function compareDraft(
  tx: Tx,
  id: string,
  {
    from,
    definition,
  }: { readonly from: string; readonly definition: Readonly<Record<string, unknown>> },
) {
  const before = await readSide(tx, await workflows.get(tx, id), from);
  const old: Readonly<Record<string, unknown>> = before.definition;
  const names = new Set([...Object.keys(old), ...Object.keys(definition)]);
  const fields = [...names].filter((name) => !isDeepStrictEqual(old[name], definition[name]));
  return {
    from: before.side,
    identical: fields.length === 0,
    fields: fields.filter((name) => name !== "nodes" && name !== "edges"),
    ...diffSteps(old, definition),
  };
}

async function readSide(
  tx: Tx,
  workflow: StoredWorkflow,
  ref: string,
): Promise<{ readonly side: Side; readonly definition: Definition }> {
  if (ref === "live") return { side: { id: null, version: null }, definition: workflow.definition };
  const lookup = ref.startsWith("wfv_") ? { id: ref } : { number: Number(ref) };
  const { id, version, definition } = await store.get(tx, workflow.id, lookup);
  return { side: { id, version }, definition };
}

/** Locks a version's workflow until the transaction ends. */
async function lockVersion(ctx: WorkflowChangeContext, path: Path) {
  const workflow = await workflows.lock(ctx.tx, path.id);
  return { workflow, before: await getVersionEntry(ctx.tx, path) };
}

async function getVersionEntry(tx: Tx, { id, versionId }: Path): Promise<Version> {
  const { definition: _, ...version } = await store.get(tx, id, { id: versionId });
  return version;
}
