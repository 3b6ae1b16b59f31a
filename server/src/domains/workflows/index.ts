import { findInTable, ReferenceSourcePoint } from "#kernel/contributions/reference-source.ts";
import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { StoredDefinitionPoint } from "#kernel/resource/stored-definition.ts";
import { TracesRead } from "./trace-access.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { ScriptLibraryPoint } from "#kernel/sandbox/library/script-library.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { workflowDefinitions } from "./checks/check-workflow.ts";
import { archiveInverse, triggerInverse } from "./deployments/activity-inverse.ts";
import * as deployments from "./deployments/operations.ts";
import * as preview from "./deployments/preview.ts";
import * as events from "./events.ts";
import { importWorkflow } from "./n8n/operation.ts";
import { n8nLibrary } from "./n8n/runtime/script-library.ts";
import * as operations from "./operations.ts";
import { workflowContent } from "./pack.ts";
import * as palette from "./palette/operations.ts";
import { PalettePoint } from "./palette/palette.ts";
import { workflowEntries } from "./palette/workflow-entries.ts";
import * as permissions from "./permissions.ts";
import { count, unattendedWorkflows } from "./store.ts";
import * as versions from "./versions/operations.ts";

export * from "./definition/index.ts";
export * from "./interpreter/index.ts";
export {
  type Deployment,
  findDeployment,
  type EventDeployment,
  findEventDeployments,
  listDeployments,
} from "./deployments/store.ts";
export {
  LAST_RUNS_DEFAULT,
  LAST_RUNS_MAX,
  LastRuns,
  REHEARSAL_VERDICTS,
  RehearsalCounts,
  RehearserPoint,
} from "./deployments/rehearsal.ts";
export {
  Backfill,
  type Backfiller,
  BackfillerPoint,
  BackfillId,
  BackfillStarted,
  NothingToBackfill,
  TooManyBackfills,
} from "./deployments/backfill.ts";
export { type RunCount, RunCountPoint } from "./deployments/run-count.ts";
export { listOfferedTools, type OfferedTool } from "./deployments/offered-tool.ts";
export {
  type DeploymentFollower,
  ModuleChange,
  ModuleChangePoint,
  ModuleUpdate,
  type NextDeployment,
  DeploymentFollowerPoint,
} from "./deployments/deployment-follower.ts";
export { type UsedConnector, UsedConnectorPoint } from "./checks/environment-needs.ts";
export { ScriptModulePoint, type ScriptModuleSource } from "./checks/script-modules.ts";
export { findStartable, type Startable } from "./deployments/startable.ts";
export {
  DeployCompleted,
  DeployFailed,
  WorkflowActivated,
  WorkflowArchived,
  WorkflowDeactivated,
  WorkflowPublished,
  WorkflowRolledBack,
} from "./events.ts";
export {
  listWorkspaceNodeTypes,
  NodeFamilyPoint,
  NodeTypePoint,
  nodeTypesOf,
  type WorkspaceNodeTypes,
} from "./node-types.ts";
export { isFound, type PaletteEntry, PalettePoint, type PaletteSource } from "./palette/palette.ts";
export {
  type ActivityReader,
  NO_ACTIVITY,
  type WorkflowActivity,
  WorkflowActivityPoint,
} from "./activity.ts";
export { canSeeTrace, TracesRead } from "./trace-access.ts";
export {
  DeploymentsCreate,
  WorkflowsRead,
  WorkflowsTrigger,
  WorkflowsWrite,
} from "./permissions.ts";
export { findHookBase } from "./service.ts";
export {
  findByHook,
  hookNameOf,
  listHookNames,
  findIdsByName as findWorkflowIds,
  findMissing as findMissingWorkflows,
  get as getWorkflow,
  type HookAddress,
  type HookDeployment,
} from "./store.ts";
export {
  type LoadedVersion,
  loadVersions,
  type PlannedVersion,
  planOfVersion,
  plansOfVersions,
  type VersionSource,
} from "./versions/plan-cache.ts";
export { find as findVersion, holdVersion, type VersionRef } from "./versions/store.ts";
export { VersionIsArchived as ArchivedVersion, VersionId } from "./versions/version.ts";
export {
  definitionErrors,
  findStructureErrors,
  parseExpressions,
  variablesNamedIn,
} from "./checks/check-workflow.ts";
export { PackDefinition } from "./pack.ts";

export {
  type CheckedParts,
  type CheckSource,
  type DefinedNode,
  type ReferenceCheck,
  nodesIn,
  ReferenceCheckPoint,
} from "./checks/reference-check.ts";
export type { StoredWorkflow } from "./workflow.ts";
export {
  type HookPlace,
  toHookUrl,
  WorkflowIsArchived as ArchivedWorkflow,
  WorkflowId,
} from "./workflow.ts";

export const workflows = domain({
  name: "workflows",
  summary: "Workflows: definitions, versions and deployments.",
  environmentScoped: false,
  permissions: [...Object.values(permissions), TracesRead],
  events: Object.values(events),
  operations: [
    operations.listWorkflows,
    operations.createWorkflow,
    palette.listNodeTypes,
    palette.getPalette,
    palette.listDueTimes,
    operations.validateWorkflow,
    importWorkflow,
    operations.getWorkflow,
    operations.updateWorkflow,
    operations.replaceWorkflow,
    operations.archiveWorkflow,
    operations.unarchiveWorkflow,
    deployments.publishWorkflow,
    deployments.activateWorkflow,
    deployments.deactivateWorkflow,
    deployments.rollBackWorkflow,
    versions.listWorkflowVersions,
    versions.snapshotWorkflow,
    versions.getVersion,
    versions.labelVersion,
    versions.restoreVersion,
    versions.archiveVersion,
    versions.diffVersions,
    versions.diffDraft,
    preview.previewPublication,
  ],
  contributions: [
    contribute(InversePoint, {
      resourceType: "workflow",
      updated: ["workflow.updated"],
      companions: ["workflow.version_created"],
      get: "workflows.get",
      update: "workflows.update",
    }),
    contribute(InversePoint, archiveInverse, triggerInverse),
    contribute(SearchSourcePoint, {
      kind: "workflow",
      permission: permissions.WorkflowsRead,
      search: searchTable({
        table: "workflows",
        title: "name",
        detail: "definition ->> 'description'",
        where: "archived_at is null",
        // Indexed for search by tag and description, because reading all definitions is slow.
        indexed: "workflow",
      }),
    }),
    contribute(UsageCounterPoint, { name: "workflows", count }),
    contribute(PackContentPoint, workflowContent),
    contribute(PalettePoint, workflowEntries),
    contribute(ReferenceSourcePoint, {
      kind: "workflow",
      permission: permissions.WorkflowsRead,
      find: findInTable("workflows", "definition"),
    }),
    contribute(UnattendedWorkPoint, unattendedWorkflows),
    contribute(StoredDefinitionPoint, ...workflowDefinitions),
    contribute(ScriptLibraryPoint, n8nLibrary),
  ],
});
