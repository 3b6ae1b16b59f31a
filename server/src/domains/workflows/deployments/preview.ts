import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { definitionIssues } from "../checks/check-workflow.ts";
import { findEnvironmentNeeds, ProductionValue } from "../checks/environment-needs.ts";
import { Trigger } from "../definition/index.ts";
import { WorkflowsRead } from "../permissions.ts";
import { ByWorkflow, workflowExample, workflowRoutes } from "../routes.ts";
import * as workflows from "../store.ts";
import { Difference, diffDefinitions } from "../versions/diff.ts";
import * as versions from "../versions/store.ts";
import { Label, VersionId } from "../versions/version.ts";
import { DefinitionIssue, toDefinitionIssue, WorkflowIsArchived } from "../workflow.ts";
import { ModuleChange, ModuleChangePoint, type NextDeployment } from "./deployment-follower.ts";
import { RunCountPoint } from "./run-count.ts";
import { RehearsalGate } from "./rehearsal.ts";
import { findDeployment } from "./store.ts";
import { chooseVersion, NothingBefore } from "./version-choice.ts";

const Side = Type.Object({
  versionId: nullable(VersionId),
  version: Type.Integer(),
  label: nullable(Label),
});

const PublicationPreview = Type.Object(
  {
    environment: Type.Enum(["production", "staging", "development"]),
    current: nullable(
      Type.Object(
        { ...Side.properties, enabled: Type.Boolean() },
        { description: "Null if no version is deployed" },
      ),
    ),
    next: Type.Object(Side.properties, {
      description:
        "If the id is missing, the live definition becomes a version with this number first",
    }),
    possible: Type.Boolean({ description: "False if the deployment would fail, see `errors`" }),
    errors: Type.Array(DefinitionIssue, {
      description: "Includes missing secrets, workflows, connectors and artifacts",
    }),
    warnings: Type.Array(DefinitionIssue, {
      description: "Such as a table that does not exist in this environment",
    }),
    productionValues: Type.Array(ProductionValue, {
      description:
        "Production values that the workflow would use in this environment. Empty in production",
    }),
    difference: nullable(
      Type.Object(Difference.properties, { description: "Null if no version is deployed" }),
    ),
    trigger: Type.Object({
      before: nullable(Trigger),
      after: nullable(Trigger),
      change: Type.Enum(["none", "starts", "changes", "stays_off"], {
        description: "`before` and `after` are null if the trigger is off",
      }),
    }),
    modules: Type.Array(ModuleChange, {
      description:
        "Script modules that are new or have a newer version. `updateModules` updates them",
    }),
    rehearsalGate: nullable(RehearsalGate),
    runs: Type.Array(
      Type.Object({
        versionId: Type.String(),
        version: nullable(Type.Integer()),
        status: Type.String(),
        count: Type.Integer(),
      }),
      { description: "Number of active runs. They continue with their current version" },
    ),
  },
  { title: "PublicationPreview" },
);
type PublicationPreview = Static<typeof PublicationPreview>;

export const previewPublication = query({
  id: "workflows.preview_publish",
  ...workflowRoutes("GET", "/{id}/publish"),
  summary: "Preview a deployment or rollback",
  description:
    "Selects the version like `publish`, or like `rollback` with the parameter `rollback`. Nothing is changed.",
  environmentScoped: true,
  permission: WorkflowsRead,
  params: ByWorkflow,
  query: object({
    versionId: Type.Optional(VersionId),
    rollback: Type.Boolean({
      default: false,
      description: "Rolls back to the version that was active before",
    }),
  }),
  response: item(PublicationPreview),
  fails: [WorkflowIsArchived, NothingBefore],
  example: workflowExample,
  run: (ctx, { params, query: request }) => preview(ctx, params.id, request),
});

async function preview(
  ctx: ReadContext,
  id: string,
  request: { readonly versionId?: string; readonly rollback: boolean },
): Promise<PublicationPreview> {
  const { tx, services, caller } = ctx;
  const { environment } = caller;
  const workflow = await workflows.get(tx, id);
  const chosen = await chooseVersion(ctx, workflow, request);
  const { definition } = chosen ?? workflow;
  const deployment = await findDeployment(tx, id, environment);
  const current = deployment && (await versions.get(tx, id, { id: deployment.versionId }));
  const issues = await definitionIssues({ tx, services }, definition);
  const errors = [...issues.errors, ...(issues.open ?? [])];
  const needs = await findEnvironmentNeeds({ tx, services }, environment, definition);
  const counts = contributionsTo(RunCountPoint, services.contributions);
  const runs = await Promise.all(counts.map((count) => count(tx, id)));
  const modules = await findModuleChanges(ctx, request, {
    environment,
    currentVersionId: deployment?.versionId ?? null,
    definition,
  });
  return {
    environment,
    current: current
      ? {
          versionId: current.id,
          version: current.version,
          label: current.label,
          enabled: deployment.enabled,
        }
      : null,
    next: {
      versionId: chosen?.id ?? null,
      version: chosen?.version ?? workflow.newest.version + 1,
      label: chosen?.label ?? null,
    },
    possible: errors.length === 0 && workflow.status !== "archived",
    errors: errors.map((issue) => toDefinitionIssue(definition, issue)),
    warnings: [...issues.warnings, ...needs.warnings].map((issue) =>
      toDefinitionIssue(definition, issue),
    ),
    productionValues: [...needs.productionValues],
    difference: current ? diffDefinitions(current.definition, definition) : null,
    trigger: triggerChange(
      deployment?.enabled ? current?.definition.trigger : undefined,
      // The first deployment activates the trigger. Later ones do not change it.
      (deployment?.enabled ?? true) ? definition.trigger : undefined,
    ),
    modules,
    rehearsalGate: deployment?.rehearsalGate ?? null,
    runs: runs.flat().map((one) => ({ ...one })),
  };
}

/** A rollback restores the modules of its version. */
async function findModuleChanges(
  { tx, services }: ReadContext,
  { rollback }: { readonly rollback: boolean },
  next: NextDeployment,
): Promise<ModuleChange[]> {
  if (rollback) return [];
  const finders = contributionsTo(ModuleChangePoint, services.contributions);
  return (await Promise.all(finders.map((find) => find(tx, next)))).flat();
}

function triggerChange(
  before: Trigger | undefined,
  after: Trigger | undefined,
): PublicationPreview["trigger"] {
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const started = before === undefined ? "starts" : "changes";
  return {
    before: before ?? null,
    after: after ?? null,
    change: after === undefined ? "stays_off" : isSame ? "none" : started,
  };
}
