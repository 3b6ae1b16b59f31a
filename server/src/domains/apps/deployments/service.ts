import { authorityOf } from "#domains/identity/accounts/index.ts";
import { DeployCompleted, DeployFailed } from "#domains/workflows/index.ts";
import { type Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { type FieldError, Failure, invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { AppIsArchived, type StoredApp } from "../definition/app.ts";
import * as apps from "../definition/store.ts";
import {
  AppChanged,
  type Deployment,
  DeployRefused,
  type FullDeployment,
  NoPreviousDeployment,
} from "./deployment.ts";
import { DeployRolledBack } from "./events.ts";
import { findMissingReferences } from "./references.ts";
import * as store from "./store.ts";

type DeployContext = WriteContext<typeof DeployCompleted | typeof DeployFailed>;
type RollbackContext = WriteContext<
  typeof DeployCompleted | typeof DeployFailed | typeof DeployRolledBack
>;

/** The app or deployment to deploy, with the references that are missing in this environment. */
export interface PreparedDeployment<Target> {
  readonly target: Target;
  readonly missing: readonly FieldError[];
}

/** Reads an app and checks its references, before the transaction. */
export async function prepareDeployment(
  platform: Platform,
  caller: Caller,
  id: string,
): Promise<PreparedDeployment<StoredApp>> {
  const target = await platform.db.read(partitionOf(caller), (tx) => apps.get(tx, id));
  if (target.status === "archived") throw new Failure(AppIsArchived);
  return { target, missing: await findMissingReferences(platform, caller, target) };
}

/** Deploys the app's current state to this environment. */
export async function deploy(
  ctx: DeployContext,
  { target, missing }: PreparedDeployment<StoredApp>,
  notes: string,
): Promise<Deployment | Failure> {
  const app = await lockActive(ctx, target.id);
  if (app.revision !== target.revision) throw new Failure(AppChanged);
  if (missing.length > 0) return recordFailure(ctx, app, { versionId: null, missing });
  const { name, theme, pages, dataSources } = app;
  const { runAs, permissions } = authorityOf(ctx.caller);
  const input = {
    id: newId("dep", ctx.now.getTime()),
    appId: app.id,
    notes,
    deployedBy: runAs,
    permissions,
    snapshot: { name, theme, pages, dataSources },
  };
  const { snapshot: _, permissions: __, ...fields } = input;
  const assigned = await store.insert(ctx, input);
  const deployment: Deployment = {
    ...fields,
    ...assigned,
    live: true,
    createdAt: ctx.now.toISOString(),
  };
  store.setLive(ctx, deployment);
  emitCompleted(ctx, app, deployment);
  return deployment;
}

/** The target deployment and, unless the request named it, the live deployment that it preceded. */
export interface PreparedRollback extends PreparedDeployment<FullDeployment> {
  readonly expectedLive: string | undefined;
}

/** Reads the deployment to restore, the named or the previous one, and checks its references. */
export async function prepareRollback(
  platform: Platform,
  caller: Caller,
  id: string,
  deploymentId: string | undefined,
): Promise<PreparedRollback> {
  const { found, expectedLive } = await platform.db.read(partitionOf(caller), async (tx) => {
    const app = await apps.get(tx, id);
    if (app.status === "archived") throw new Failure(AppIsArchived);
    const live = await store.findLive(tx, id);
    const targetId = deploymentId ?? live?.previousDeploymentId;
    if (!targetId) throw new Failure(NoPreviousDeployment);
    const found = await store.find(tx, id, targetId);
    if (!found)
      throw invalidField("/deploymentId", "is not a deployment of this app in this environment");
    return { found, expectedLive: deploymentId === undefined ? live?.deploymentId : undefined };
  });
  const missing = await findMissingReferences(platform, caller, found.snapshot);
  return { target: found, missing, expectedLive };
}

/** Deploys an earlier deployment again. */
export async function rollBack(
  ctx: RollbackContext,
  { target, missing, expectedLive }: PreparedRollback,
): Promise<Deployment | Failure> {
  const app = await lockActive(ctx, target.appId);
  const previousDeploymentId = (await store.findLive(ctx.tx, app.id))?.deploymentId ?? null;
  // If another deployment has gone live in the meantime, the target is no longer the previous one.
  if (expectedLive !== undefined && previousDeploymentId !== expectedLive)
    throw new Failure(AppChanged);
  const { snapshot: _, ...fields } = target;
  const deployment = { ...fields, live: true };
  if (previousDeploymentId === target.id) return deployment;
  if (missing.length > 0) return recordFailure(ctx, app, { versionId: target.id, missing });
  store.setLive(ctx, deployment);
  const reference = { id: deployment.id, displayName: app.name };
  const { id, name } = app;
  const data = { kind: "app" as const, id, name, deployment, previousDeploymentId };
  ctx.emit(DeployRolledBack, reference, data);
  emitCompleted(ctx, app, deployment);
  return deployment;
}

function emitCompleted(ctx: DeployContext, { id, name }: StoredApp, deployment: Deployment): void {
  const { environment, number: version, id: versionId } = deployment;
  const data = { kind: "app" as const, id, name, environment, versionId, version };
  ctx.emit(DeployCompleted, { id: versionId, displayName: name }, data);
}

/** Records the failed deployment, and returns the failure. */
function recordFailure(
  ctx: DeployContext,
  { id, name }: StoredApp,
  {
    versionId,
    missing,
  }: { readonly versionId: string | null; readonly missing: readonly FieldError[] },
): Failure {
  const { environment } = ctx.caller;
  const reasons = missing.map(({ path, message }) => ({ path, message }));
  const data = { kind: "app" as const, id, name, environment, versionId, reasons };
  ctx.emit(DeployFailed, { id: versionId ?? id, displayName: name }, data);
  return new Failure(DeployRefused, { errors: reasons });
}

async function lockActive(ctx: WriteContext<never>, id: string): Promise<StoredApp> {
  const app = await apps.lock(ctx.tx, id);
  if (app.status === "archived") throw new Failure(AppIsArchived);
  return app;
}

function partitionOf({ workspace, environment }: Caller) {
  if (!workspace) throw new Error("An app belongs to a workspace.");
  return { workspace: workspace.key, environment };
}
