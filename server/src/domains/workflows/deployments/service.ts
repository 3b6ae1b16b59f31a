import { authorityOf } from "#domains/identity/accounts/index.ts";
import { type WorkspaceRef } from "#kernel/access/caller.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { listTriggers } from "../definition/index.ts";
import * as events from "../events.ts";
import { type WorkflowChangeContext, lockToChange } from "../service.ts";
import { definitionErrors } from "../checks/check-workflow.ts";
import * as workflows from "../store.ts";
import { appendVersion } from "../versions/append-version.ts";
import { setLabel } from "../versions/service.ts";
import * as versions from "../versions/store.ts";
import { type FullVersion, VersionIsArchived } from "../versions/version.ts";
import { workflowEventData, workflowRef, type StoredWorkflow } from "../workflow.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { DeploymentFollowerPoint, type ModuleUpdate } from "./deployment-follower.ts";
import type { RehearsalGate } from "./rehearsal.ts";
import { type GateRehearsal, refuseRehearsed } from "./rehearsal-gate.ts";
import * as store from "./store.ts";
import { findLiveVersion, getNamedVersion, getPreviousVersion } from "./version-choice.ts";

type In<C> = C & { readonly workspace: WorkspaceRef };
type DeployContext = WriteContext<typeof events.DeployCompleted | typeof events.WorkflowActivated>;
type PublishContext = In<
  WriteContext<
    | typeof events.DeployCompleted
    | typeof events.DeployFailed
    | typeof events.VersionCreated
    | typeof events.WorkflowActivated
    | typeof events.WorkflowPublished
  >
>;
type RollbackContext = WriteContext<
  | typeof events.DeployCompleted
  | typeof events.DeployFailed
  | typeof events.WorkflowActivated
  | typeof events.WorkflowRolledBack
>;

export const DefinitionInvalid = failure(
  "definition_invalid",
  422,
  "The definition is no longer valid and can't be deployed. `errors` contains the paths.",
);

interface PublishRequest {
  readonly versionId?: string;
  readonly label?: string;
  /** The new gate of this environment; null for none. */
  readonly requireRehearsal?: RehearsalGate | null;
  readonly rehearsal?: GateRehearsal | undefined;
  readonly updateModules?: ModuleUpdate;
}

/** Deploys a version to this environment: the current definition, or the named version. */
export async function publish(
  ctx: PublishContext & WriteContext<typeof events.VersionLabelled>,
  id: string,
  request: PublishRequest,
): Promise<StoredWorkflow | Failure> {
  const published = await publishLocked(ctx, await lockToChange(ctx, id), request);
  const { label } = request;
  if (published instanceof Failure || label === undefined) return published;
  const version = await versions.get(ctx.tx, id, {
    id: published.environments[ctx.caller.environment]?.versionId ?? "",
  });
  if (version.label === label) return published;
  await setLabel(ctx, version, label);
  return workflows.get(ctx.tx, id);
}

/** Deploys an earlier version again: the previous one, or the named one. */
export async function rollBack(
  ctx: RollbackContext,
  id: string,
  request: { readonly versionId?: string },
): Promise<StoredWorkflow | Failure> {
  const workflow = await lockToChange(ctx, id);
  const version =
    request.versionId === undefined
      ? await getPreviousVersion(ctx, workflow)
      : await getNamedVersion(ctx, workflow, request.versionId);
  if (version.status === "archived") throw new Failure(VersionIsArchived);
  const rejection = await refuseInvalid(ctx, workflow, version);
  if (rejection) return rejection;
  const deployed = await deploy(ctx, workflow, version, { isRollback: true });
  ctx.emit(events.WorkflowRolledBack, workflowRef(deployed.workflow), {
    ...deployed.data,
    previousVersionId: deployed.previousVersionId,
  });
  emitDeployed(ctx, deployed);
  return deployed.workflow;
}

/** Activates the trigger in this environment. Deploys first if no version is deployed. */
export async function activate(ctx: PublishContext, id: string): Promise<StoredWorkflow | Failure> {
  const workflow = await lockToChange(ctx, id);
  const deployment = await store.findDeployment(ctx.tx, id, ctx.caller.environment);
  if (!deployment) return publishLocked(ctx, workflow, {});
  if (deployment.enabled) return workflow;
  const after = await setTrigger(ctx, deployment, true);
  ctx.emit(events.WorkflowActivated, workflowRef(after), triggerEventData(after, deployment));
  return after;
}

/** Deactivates the trigger in this environment. Active runs continue. */
export async function deactivate(
  ctx: WriteContext<typeof events.WorkflowDeactivated>,
  id: string,
): Promise<StoredWorkflow> {
  const workflow = await lockToChange(ctx, id);
  const deployment = await store.findDeployment(ctx.tx, id, ctx.caller.environment);
  if (!deployment?.enabled) return workflow;
  const after = await setTrigger(ctx, deployment, false);
  ctx.emit(events.WorkflowDeactivated, workflowRef(after), triggerEventData(after, deployment));
  return after;
}

async function publishLocked(
  ctx: PublishContext,
  workflow: StoredWorkflow,
  request: PublishRequest,
): Promise<StoredWorkflow | Failure> {
  const found =
    request.versionId === undefined
      ? await findLiveVersion(ctx, workflow)
      : await getNamedVersion(ctx, workflow, request.versionId);
  if (found?.status === "archived") throw new Failure(VersionIsArchived);
  const rejection =
    (await refuseInvalid(ctx, workflow, found)) ??
    (await refuseRehearsed(ctx, workflow, {
      versionId: found?.id ?? null,
      definition: (found ?? workflow).definition,
      requireRehearsal: request.requireRehearsal,
      rehearsal: request.rehearsal,
    }));
  if (rejection) return rejection;
  const version = found ?? (await appendLiveVersion(ctx, workflow, request.label));
  const { requireRehearsal: rehearsalGate, updateModules } = request;
  const deployed = await deploy(ctx, workflow, version, {
    isRollback: false,
    rehearsalGate,
    updateModules,
  });
  const { gate, result } = request.rehearsal ?? {};
  ctx.emit(events.WorkflowPublished, workflowRef(deployed.workflow), {
    ...deployed.data,
    previousVersionId: deployed.previousVersionId,
    ...(gate && result && { rehearsal: { allow: [...gate.allow], counts: result.counts } }),
    ...(request.requireRehearsal === null && { rehearsal: null }),
  });
  emitDeployed(ctx, deployed);
  return deployed.workflow;
}

/** Rejects a definition that became invalid, for example because a secret or workflow was deleted. */
async function refuseInvalid(
  ctx: WriteContext<typeof events.DeployFailed>,
  workflow: StoredWorkflow,
  version: FullVersion | undefined,
): Promise<Failure | undefined> {
  const { definition } = version ?? workflow;
  const reasons = await definitionErrors(ctx, definition);
  const [first] = reasons;
  if (!first) return undefined;
  const { environment } = ctx.caller;
  ctx.emit(events.DeployFailed, workflowRef(workflow), {
    ...deployEventData(workflow, environment),
    versionId: version?.id ?? null,
    reasons: [...reasons],
  });
  const detail = `${first.path} ${first.message}`;
  return new Failure(DefinitionInvalid, { detail, errors: reasons });
}

async function appendLiveVersion(
  ctx: PublishContext,
  { id, definition, newest }: StoredWorkflow,
  label: string | undefined,
): Promise<FullVersion> {
  const number = newest.version + 1;
  await workflows.update(ctx.tx, id, { newest: number, updated_at: ctx.now });
  const { version, emitCreated: emitVersion } = await appendVersion(ctx, {
    workflowId: id,
    number,
    definition,
    label,
  });
  emitVersion();
  return version;
}

interface DeployedVersion {
  readonly workflow: StoredWorkflow;
  readonly previousVersionId: string | null;
  readonly data: ReturnType<typeof triggerEventData>;
  /** This was the first deployment, so it activated the trigger. */
  readonly first: boolean;
}

async function deploy(
  ctx: WorkflowChangeContext,
  { id, newest }: StoredWorkflow,
  version: FullVersion,
  {
    isRollback,
    rehearsalGate,
    updateModules = false,
  }: {
    readonly isRollback: boolean;
    readonly rehearsalGate?: RehearsalGate | null | undefined;
    readonly updateModules?: ModuleUpdate | undefined;
  },
): Promise<DeployedVersion> {
  const { environment } = ctx.caller;
  const current = await store.findDeployment(ctx.tx, id, environment);
  const again = current?.versionId === version.id;
  const { runAs, permissions } = authorityOf(ctx.caller);
  const previousVersionId = (again ? current.previousVersionId : current?.versionId) ?? null;
  await store.upsertDeployment(ctx.tx, {
    workflowId: id,
    environment,
    versionId: version.id,
    number: version.version,
    previousVersionId,
    enabled: current?.enabled ?? true,
    deployedBy: runAs,
    permissions: permissions ?? undefined,
    rehearsalGate: rehearsalGate === undefined ? (current?.rehearsalGate ?? null) : rehearsalGate,
    at: ctx.now,
  });
  await store.replaceTriggers(
    ctx.tx,
    { workflowId: id, environment },
    { triggers: listTriggers(version.definition), wasEnabled: current?.enabled ?? false },
  );
  for (const follower of contributionsTo(DeploymentFollowerPoint, ctx.services.contributions)) {
    const { id: versionId, definition } = version;
    const currentVersionId = current?.versionId ?? null;
    const about = { workflowId: id, environment, versionId, definition, currentVersionId };
    await follower.deployed(ctx, { ...about, previousVersionId, isRollback, updateModules });
  }
  const touched = [version.id, ...(current && !again ? [current.versionId] : [])];
  // The version can be the one that was just created.
  const number = Math.max(newest.version, version.version);
  await versions.refreshStatuses(ctx.tx, id, { newest: number, touched });
  await workflows.update(ctx.tx, id, { updated_at: ctx.now });
  const workflow = await workflows.get(ctx.tx, id);
  const facts = { environment, versionId: version.id, number: version.version };
  return { workflow, previousVersionId, data: triggerEventData(workflow, facts), first: !current };
}

function emitDeployed(ctx: DeployContext, { workflow, data, first }: DeployedVersion): void {
  const { environment, versionId, version } = data;
  ctx.emit(events.DeployCompleted, workflowRef(workflow), {
    ...deployEventData(workflow, environment),
    versionId,
    version,
  });
  if (first) ctx.emit(events.WorkflowActivated, workflowRef(workflow), data);
}

async function setTrigger(
  ctx: WorkflowChangeContext,
  deployment: store.Deployment,
  enabled: boolean,
): Promise<StoredWorkflow> {
  await store.setEnabled(ctx.tx, deployment, enabled);
  await workflows.update(ctx.tx, deployment.workflowId, { updated_at: ctx.now });
  return workflows.get(ctx.tx, deployment.workflowId);
}

function triggerEventData(
  workflow: StoredWorkflow,
  at: Pick<store.Deployment, "environment" | "versionId" | "number">,
) {
  const { environment, versionId, number: version } = at;
  return { ...workflowEventData(workflow), environment, versionId, version };
}

function deployEventData({ id, definition }: StoredWorkflow, environment: EnvironmentName) {
  return { kind: "workflow" as const, id, name: definition.name, environment };
}
