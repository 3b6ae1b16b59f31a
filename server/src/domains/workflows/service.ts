import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Caller, WorkspaceRef } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import * as deployments from "./deployments/store.ts";
import { type WorkflowInput, mergeFields } from "./workflow-input.ts";
import * as events from "./events.ts";
import { WorkflowsTrigger } from "./permissions.ts";
import { assertValidWorkflow } from "./checks/check-workflow.ts";
import * as store from "./store.ts";
import { appendVersion, authorOf } from "./versions/append-version.ts";
import { changedFields } from "./versions/diff.ts";
import {
  workflowEventData,
  type DefinitionOutline,
  workflowRef,
  toWorkflowItem,
  type HookBase,
  type StoredWorkflow,
  WorkflowIsArchived,
} from "./workflow.ts";

/** Context for functions that change workflows while their callers emit the events. */
export type WorkflowChangeContext = Omit<WriteContext, "emit">;

type In<C> = C & { readonly workspace: WorkspaceRef };

const HOOK_TOKEN_BYTES = 24;

export async function create(
  ctx: In<WriteContext<typeof events.WorkflowCreated | typeof events.VersionCreated>>,
  { fields, scriptErrors, ...about }: WorkflowInput,
): Promise<StoredWorkflow> {
  const { definition, warnings } = await assertValidWorkflow(ctx, fields, scriptErrors);
  const id = newId("wf", ctx.now.getTime());
  await store.insert(ctx.tx, {
    id,
    name: definition.name,
    definition: JSON.stringify(definition),
    newest: 1,
    hook_token: randomBytes(HOOK_TOKEN_BYTES).toString("base64url"),
    created_by: authorOf(ctx.caller).id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  const changeSummary = about.changeSummary ?? "Created";
  const version = await appendVersion(ctx, {
    workflowId: id,
    number: 1,
    definition,
    ...about,
    changeSummary,
  });
  const workflow = await store.get(ctx.tx, id);
  ctx.emit(events.WorkflowCreated, workflowRef(workflow), workflowEventData(workflow));
  version.emitCreated();
  return { ...workflow, warnings };
}

/**
 * Saves the definition and creates a version. Without changes it does nothing, unless a label or summary requests a
 * version.
 */
export async function save(
  ctx: In<WriteContext<typeof events.WorkflowUpdated | typeof events.VersionCreated>>,
  id: string,
  input: WorkflowInput,
  mode: "merge" | "replace",
): Promise<StoredWorkflow> {
  const before = await lockToChange(ctx, id);
  const fields = mode === "merge" ? mergeFields(before.definition, input) : input.fields;
  const { definition, warnings } = await assertValidWorkflow(ctx, fields, input.scriptErrors);
  const { label, changeSummary } = input;
  const changed = !isDeepStrictEqual(definition, before.definition);
  if (!changed && label === undefined && changeSummary === undefined)
    return { ...before, warnings };
  const number = before.newest.version + 1;
  await store.update(ctx.tx, id, {
    name: definition.name,
    definition: JSON.stringify(definition),
    newest: number,
    updated_at: ctx.now,
  });
  const version = await appendVersion(ctx, {
    workflowId: id,
    number,
    definition,
    label,
    changeSummary,
  });
  const after = await store.get(ctx.tx, id);
  if (changed) {
    ctx.emit(events.WorkflowUpdated, workflowRef(after), {
      before: workflowEventData(before),
      after: workflowEventData(after),
      changes: changedFields(before.definition, definition),
    });
  }
  version.emitCreated();
  return { ...after, warnings };
}

/** Archives the workflow, and deactivates its triggers in all environments. */
export async function archive(
  ctx: In<WriteContext<typeof events.WorkflowArchived | typeof events.WorkflowDeactivated>>,
  id: string,
): Promise<void> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (before.status === "archived") return;
  const enabled = (await deployments.listDeployments(ctx.tx, id)).filter(
    ({ enabled: isOn }) => isOn,
  );
  for (const deployment of enabled) await deployments.setEnabled(ctx.tx, deployment, false);
  await store.update(ctx.tx, id, { archived_at: ctx.now, updated_at: ctx.now });
  const workflow = await store.get(ctx.tx, id);
  for (const { environment, versionId, number } of enabled) {
    // Events of an environment belong to the log of that environment.
    ctx.switchPartition({ workspace: ctx.workspace.key, environment });
    const facts = { environment, versionId, version: number };
    ctx.emit(events.WorkflowDeactivated, workflowRef(workflow), {
      ...workflowEventData(workflow),
      ...facts,
    });
  }
  ctx.switchPartition({ workspace: ctx.workspace.key, environment: ctx.caller.environment });
  ctx.emit(events.WorkflowArchived, workflowRef(workflow), workflowEventData(workflow));
}

/** Restores an archived workflow. Its triggers stay inactive. */
export async function unarchive(
  ctx: WriteContext<typeof events.WorkflowUnarchived>,
  id: string,
): Promise<StoredWorkflow> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (before.status !== "archived") return before;
  await store.update(ctx.tx, id, { archived_at: null, updated_at: ctx.now });
  const workflow = await store.get(ctx.tx, id);
  ctx.emit(events.WorkflowUnarchived, workflowRef(workflow), workflowEventData(workflow));
  return workflow;
}

/** Locks a workflow until the transaction ends. Throws if it is archived. */
export async function lockToChange(
  ctx: WorkflowChangeContext,
  id: string,
): Promise<StoredWorkflow> {
  const workflow = await store.lock(ctx.tx, id);
  ctx.expectRevision(workflow.revision);
  if (workflow.status === "archived") throw new Failure(WorkflowIsArchived);
  return workflow;
}

/** A workflow as visible to this caller. */
export function visibleWorkflow<D extends DefinitionOutline>(
  { caller, workspace }: In<ReadContext>,
  workflow: StoredWorkflow<D>,
) {
  return toWorkflowItem(workflow, findHookBase(caller, workspace));
}

/**
 * The base of webhook addresses, for callers who can trigger workflows, because an address is sufficient to start a
 * run.
 */
export function findHookBase(caller: Caller, workspace: WorkspaceRef): HookBase | undefined {
  const memberships = [...(caller.credential?.memberships ?? [])];
  const slug = memberships.find(([, member]) => member.workspace.id === workspace.id)?.[0];
  if (slug === undefined || !caller.permissions.has(WorkflowsTrigger.name)) return undefined;
  const environment = caller.requestedEnvironment ?? caller.environment;
  return { base: `${caller.origin}/hooks/${slug}`, environment };
}
