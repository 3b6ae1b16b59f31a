import Type from "typebox";
import { holdsPermission } from "#kernel/access/permission.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure, permissionFailure } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import * as events from "../events.ts";
import { ByWorkflow, workflowExample, workflowRoutes } from "../routes.ts";
import { DeploymentsCreate, WorkflowsTrigger } from "../permissions.ts";
import { visibleWorkflow } from "../service.ts";
import { Label, VersionIsArchived, VersionId } from "../versions/version.ts";
import { Workflow, WorkflowIsArchived } from "../workflow.ts";
import {
  AlreadyActive,
  BackfillerPoint,
  BackfillStarted,
  NothingToBackfill,
  TooManyBackfills,
} from "./backfill.ts";
import { ModuleUpdate } from "./deployment-follower.ts";
import { GateInput } from "./rehearsal.ts";
import { RehearsalOutdated, RehearsalRefused, rehearseForGate } from "./rehearsal-gate.ts";
import * as service from "./service.ts";
import { findDeployment } from "./store.ts";
import { NothingBefore } from "./version-choice.ts";

const publishEvents = [
  events.VersionCreated,
  events.WorkflowPublished,
  events.DeployCompleted,
  events.WorkflowActivated,
  events.DeployFailed,
] as const;

export const publishWorkflow = command({
  id: "workflows.publish",
  effect: "live",
  ...workflowRoutes("POST", "/{id}/publish"),
  summary: "Deploy a workflow",
  description:
    "Deploys to the environment of the request. Without a `versionId`, deploys the live definition: the newest version, or a new version if the definition differs from it, for example after a restore. The version becomes `active`. The previous version is superseded if it is not active in another environment. The first deployment to an environment turns the trigger on; later deployments do not change it. `label` is set on the deployed version. If the definition is no longer valid, the deployment fails, and `deploy.failed` contains the reasons. `requireRehearsal` requires a rehearsal with past runs for this and later deployments to the environment, until it is set to null: the deployment fails if past runs would differ in ways that `allow` does not contain. Script modules keep their deployed versions; `updateModules` moves them to the newest. Newly imported modules use the newest version.",
  environmentScoped: true,
  permission: DeploymentsCreate,
  params: ByWorkflow,
  body: object({
    versionId: Type.Optional(VersionId),
    label: Type.Optional(Label),
    requireRehearsal: Type.Optional(GateInput),
    updateModules: Type.Optional(ModuleUpdate),
  }),
  bodyOptional: true,
  response: item(Workflow),
  emits: [...publishEvents, events.VersionLabelled],
  fails: [
    WorkflowIsArchived,
    VersionIsArchived,
    service.DefinitionInvalid,
    RehearsalRefused,
    RehearsalOutdated,
  ],
  example: {
    ...workflowExample,
    body: { label: "Spring release", requireRehearsal: { allow: ["other_output"] } },
  },
  prepare: (platform, { params, body }, caller) =>
    rehearseForGate(platform, caller, params.id, body),
  async run(ctx, { params, body }, rehearsal) {
    const workflow = await service.publish(ctx, params.id, { ...body, rehearsal });
    return workflow instanceof Failure ? workflow : visibleWorkflow(ctx, workflow);
  },
});

export const activateWorkflow = command({
  id: "workflows.activate",
  effect: "live",
  ...workflowRoutes("POST", "/{id}/activate"),
  summary: "Activate a workflow",
  description:
    "Turns the trigger on in the environment of the request. If no version is deployed yet, the live definition is deployed first. If the trigger is already on, nothing changes. With `from`, a backfill starts runs for the events and scheduled times since that time. The backfill and the trigger do not process the same event twice. This also requires `workflows:trigger`.",
  environmentScoped: true,
  permission: DeploymentsCreate,
  params: ByWorkflow,
  body: object({ from: Type.Optional(InputTime) }),
  bodyOptional: true,
  allowNoop: true,
  response: item(Workflow),
  emits: [...publishEvents, BackfillStarted],
  fails: [
    WorkflowIsArchived,
    service.DefinitionInvalid,
    AlreadyActive,
    NothingToBackfill,
    TooManyBackfills,
  ],
  example: { ...workflowExample, body: { from: "2026-11-01T00:00:00.000Z" } },
  async run(ctx, { params, body: { from } }) {
    if (from !== undefined) await assertMayCatchUp(ctx, params.id);
    const workflow = await service.activate(ctx, params.id);
    if (workflow instanceof Failure) return workflow;
    if (from !== undefined)
      for (const { start } of contributionsTo(BackfillerPoint, ctx.services.contributions))
        await start(ctx, { workflowId: params.id, from });
    return visibleWorkflow(ctx, workflow);
  },
});

/** Catching up requires an additional permission, and must not process events twice. */
async function assertMayCatchUp({ tx, caller }: ReadContext, id: string): Promise<void> {
  if (!holdsPermission(caller.permissions, WorkflowsTrigger))
    throw permissionFailure(WorkflowsTrigger.name);
  const deployment = await findDeployment(tx, id, caller.environment);
  if (deployment?.enabled) throw new Failure(AlreadyActive);
}

export const deactivateWorkflow = command({
  id: "workflows.deactivate",
  ...workflowRoutes("POST", "/{id}/deactivate"),
  summary: "Deactivate a workflow",
  description:
    "Turns the trigger off in the environment of the request. The version stays deployed and can be run manually; active runs continue. If the trigger is already off, nothing changes.",
  environmentScoped: true,
  permission: DeploymentsCreate,
  params: ByWorkflow,
  allowNoop: true,
  response: item(Workflow),
  emits: [events.WorkflowDeactivated],
  fails: [WorkflowIsArchived],
  example: workflowExample,
  run: async (ctx, { params }) => visibleWorkflow(ctx, await service.deactivate(ctx, params.id)),
});

export const rollBackWorkflow = command({
  id: "workflows.rollback",
  effect: "drastic",
  ...workflowRoutes("POST", "/{id}/rollback"),
  summary: "Roll back to an earlier version",
  description:
    "Changes the deployed version in the environment of the request. Default for `versionId`: the version that was active before, so a second rollback undoes the first. The live definition does not change.",
  environmentScoped: true,
  permission: DeploymentsCreate,
  params: ByWorkflow,
  body: object({ versionId: Type.Optional(VersionId) }),
  bodyOptional: true,
  response: item(Workflow),
  emits: [
    events.WorkflowRolledBack,
    events.DeployCompleted,
    events.WorkflowActivated,
    events.DeployFailed,
  ],
  fails: [WorkflowIsArchived, VersionIsArchived, NothingBefore, service.DefinitionInvalid],
  example: { ...workflowExample, body: {} },
  async run(ctx, { params, body }) {
    const workflow = await service.rollBack(ctx, params.id, body);
    return workflow instanceof Failure ? workflow : visibleWorkflow(ctx, workflow);
  },
});
