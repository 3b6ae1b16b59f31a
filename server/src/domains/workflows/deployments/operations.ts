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
  summary: "Deploy the live definition, or a version, to the environment of the request",
  description:
    "Without a `versionId` the live definition is deployed: the newest version or, when the " +
    "definition differs from it as after a restore, a version that is appended first. The version " +
    "becomes `active`; the one that was active there is superseded unless it is active elsewhere. " +
    "The first deployment to an environment turns the trigger on there; later ones leave it as it " +
    "is. `label` goes to the version that is deployed. A definition that is no longer valid is " +
    "refused, and `deploy.failed` says why. `requireRehearsal` makes a rehearsal with past runs the gate " +
    "of this environment, now and later, until it is sent as null: a version with which they would differ " +
    "in ways that are not in `allow` is refused. Script modules keep the versions that are deployed in the " +
    "environment; with `updateModules` they move to the newest. A module that was not imported before takes the newest.",
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
  summary: "Turn the trigger on in the environment of the request",
  description:
    "Where no version is deployed yet, the live definition is published first. Where it is on " +
    "already, nothing happens. With `from` it is as if it had been on since then: backfills start a run for each event " +
    "and time from that moment up to this one, and each event is heard once, by them or by the trigger, also where it " +
    "was on in between. That needs `workflows:trigger` too.",
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

/** Runs for what has been are a further right, and what was heard already must not be heard again. */
async function assertMayCatchUp({ tx, caller }: ReadContext, id: string): Promise<void> {
  if (!holdsPermission(caller.permissions, WorkflowsTrigger))
    throw permissionFailure(WorkflowsTrigger.name);
  const deployment = await findDeployment(tx, id, caller.environment);
  if (deployment?.enabled) throw new Failure(AlreadyActive);
}

export const deactivateWorkflow = command({
  id: "workflows.deactivate",
  ...workflowRoutes("POST", "/{id}/deactivate"),
  summary: "Turn the trigger off in the environment of the request",
  description:
    "The version stays deployed and can be run by hand; runs that are under way go on. Where it is " +
    "off already, nothing happens.",
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
  summary: "Make an earlier version the active one of the environment of the request",
  description:
    "Without a `versionId` it is the one that was active there before, so that a second rollback " +
    "undoes the first. The live definition stays as it is.",
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
