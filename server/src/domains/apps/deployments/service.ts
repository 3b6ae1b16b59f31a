import { DeployCompleted, DeployFailed } from "#domains/workflows/index.ts";
import { type Caller, userIdOf } from "#kernel/access/caller.ts";
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

type Deploying = WriteContext<typeof DeployCompleted | typeof DeployFailed>;
type RollingBack = WriteContext<
  typeof DeployCompleted | typeof DeployFailed | typeof DeployRolledBack
>;

/** What is about to be deployed, and what of it is missing in this environment. */
export interface Examined<What> {
  readonly what: What;
  readonly missing: readonly FieldError[];
}

/** Looks at an app and at everything that it refers to. */
export async function examine(
  platform: Platform,
  caller: Caller,
  id: string,
): Promise<Examined<StoredApp>> {
  const what = await platform.db.read(partitionOf(caller), (tx) => apps.get(tx, id));
  if (what.status === "archived") throw new Failure(AppIsArchived);
  return { what, missing: await findMissingReferences(platform, caller, what) };
}

/** Serves the app in this environment as it is now. */
export async function deploy(
  ctx: Deploying,
  { what, missing }: Examined<StoredApp>,
  notes: string,
): Promise<Deployment | Failure> {
  const app = await lockActive(ctx, what.id);
  if (app.revision !== what.revision) throw new Failure(AppChanged);
  if (missing.length > 0) return refuse(ctx, app, { versionId: null, missing });
  const { name, theme, pages, dataSources } = app;
  const draft = {
    id: newId("dep", ctx.now.getTime()),
    appId: app.id,
    notes,
    deployedBy: userIdOf(ctx.caller),
    snapshot: { name, theme, pages, dataSources },
  };
  const { snapshot: _, ...kept } = draft;
  const placed = await store.insert(ctx, draft);
  const deployment: Deployment = {
    ...kept,
    ...placed,
    live: true,
    createdAt: ctx.now.toISOString(),
  };
  store.goLive(ctx, deployment);
  tell(ctx, app, deployment);
  return deployment;
}

/** An earlier deployment and, where nobody named it, the one that it was found to come before. */
export interface Earlier extends Examined<FullDeployment> {
  readonly before: string | undefined;
}

/** Looks at the deployment that is to be live again: the one that is named, or the one before. */
export async function examineEarlier(
  platform: Platform,
  caller: Caller,
  id: string,
  deploymentId: string | undefined,
): Promise<Earlier> {
  const { found, before } = await platform.db.read(partitionOf(caller), async (tx) => {
    const app = await apps.get(tx, id);
    if (app.status === "archived") throw new Failure(AppIsArchived);
    const live = await store.live(tx, id);
    const wanted = deploymentId ?? live?.previousDeploymentId;
    if (!wanted) throw new Failure(NoPreviousDeployment);
    const found = await store.find(tx, id, wanted);
    if (!found) throw invalidField("/deploymentId", "is not a deployment of this app here");
    return { found, before: deploymentId === undefined ? live?.deploymentId : undefined };
  });
  const missing = await findMissingReferences(platform, caller, found.snapshot);
  return { what: found, missing, before };
}

/** Serves an earlier deployment again. */
export async function rollBack(
  ctx: RollingBack,
  { what, missing, before }: Earlier,
): Promise<Deployment | Failure> {
  const app = await lockActive(ctx, what.appId);
  const previousDeploymentId = (await store.live(ctx.tx, app.id))?.deploymentId ?? null;
  // Another one may have gone live meanwhile, and then this is no longer the one before.
  if (before !== undefined && previousDeploymentId !== before) throw new Failure(AppChanged);
  const { snapshot: _, ...kept } = what;
  const deployment = { ...kept, live: true };
  if (previousDeploymentId === what.id) return deployment;
  if (missing.length > 0) return refuse(ctx, app, { versionId: what.id, missing });
  store.goLive(ctx, deployment);
  const reference = { id: deployment.id, displayName: app.name };
  const { id, name } = app;
  const data = { kind: "app" as const, id, name, deployment, previousDeploymentId };
  ctx.emit(DeployRolledBack, reference, data);
  tell(ctx, app, deployment);
  return deployment;
}

function tell(ctx: Deploying, { id, name }: StoredApp, deployment: Deployment): void {
  const { environment, number: version, id: versionId } = deployment;
  const data = { kind: "app" as const, id, name, environment, versionId, version };
  ctx.emit(DeployCompleted, { id: versionId, displayName: name }, data);
}

/** Recorded, and answered. */
function refuse(
  ctx: Deploying,
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
