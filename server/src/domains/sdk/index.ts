import { projectOperations } from "./packs/project/operations.ts";
import { findInTable, ReferenceSourcePoint } from "#kernel/contributions/reference-source.ts";
import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import { ConnectorActionPoint } from "#domains/connectors/index.ts";
import { ExecutorPoint } from "#domains/runs/index.ts";
import {
  DeploymentFollowerPoint,
  ModuleChangePoint,
  NodeFamilyPoint,
  NodeTypePoint,
  PalettePoint,
  ReferenceCheckPoint,
  ScriptModulePoint,
} from "#domains/workflows/index.ts";
import { CausalTracerPoint } from "#kernel/contributions/causal-tracer.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { StoredDefinitionPoint } from "#kernel/resource/stored-definition.ts";
import * as artifactEvents from "./artifacts/events.ts";
import * as artifacts from "./artifacts/operations.ts";
import { artifactContent } from "./artifacts/pack.ts";
import { artifactDefinitions } from "./artifacts/artifact-input.ts";
import { count, unattendedArtifacts } from "./artifacts/store.ts";
import { checkArtifactNodes } from "./execution/check-references.ts";
import { artifactActions } from "./execution/connector-actions.ts";
import { executionTracer } from "./execution/execution-tracer.ts";
import * as executionEvents from "./execution/events.ts";
import { artifactEntries } from "./execution/palette.ts";
import { customNodes, customStep, scriptSteps } from "./execution/script-steps.ts";
import * as execution from "./execution/operations.ts";
import { executionRetentionJob } from "./execution/store.ts";
import { getArtifactUsage } from "./modules/usage.ts";
import {
  checkModuleImports,
  findModuleChanges,
  moduleSource,
  pinFollower,
} from "./modules/workflow-modules.ts";
import { handleRequest } from "./hooks/operations.ts";
import * as jobs from "./jobs/operations.ts";
import { scheduledArtifactJob } from "./jobs/schedule.ts";
import * as packEvents from "./packs/events.ts";
import { listPackCatalog } from "./packs/catalog.ts";
import * as packs from "./packs/operations.ts";
import * as permissions from "./permissions.ts";
import * as testEvents from "./tests/events.ts";
import * as tests from "./tests/operations.ts";

export const sdk = domain({
  name: "sdk",
  summary: "Artifacts: custom code with versions, tests, scheduled jobs and packs.",
  environmentScoped: false,
  permissions: Object.values(permissions),
  events: [
    ...Object.values(artifactEvents),
    ...Object.values(executionEvents),
    ...Object.values(testEvents),
    ...Object.values(packEvents),
  ],
  operations: [
    artifacts.listArtifacts,
    artifacts.createArtifact,
    artifacts.getArtifact,
    artifacts.updateArtifact,
    artifacts.deleteArtifact,
    artifacts.listArtifactVersions,
    artifacts.getArtifactVersion,
    artifacts.restoreArtifact,
    getArtifactUsage,
    execution.executeArtifact,
    execution.listExecutions,
    execution.getExecution,
    tests.listTestCases,
    tests.createTestCase,
    tests.updateTestCase,
    tests.deleteTestCase,
    tests.runTestCases,
    handleRequest,
    jobs.listScheduledJobs,
    jobs.createScheduledJob,
    jobs.runDueJobs,
    packs.listPacks,
    ...projectOperations,
    packs.getPack,
    listPackCatalog,
    packs.installBaselinePack,
    packs.installPack,
    packs.uninstallPack,
  ],
  jobs: [scheduledArtifactJob, executionRetentionJob],
  contributions: [
    contribute(StoredDefinitionPoint, ...artifactDefinitions),
    contribute(InversePoint, {
      resourceType: "artifact",
      created: ["artifact.created"],
      updated: ["artifact.updated"],
      get: "artifacts.get",
      update: "artifacts.update",
      remove: "artifacts.delete",
    }),
    contribute(SearchSourcePoint, {
      kind: "artifact",
      permission: permissions.ArtifactsRead,
      search: searchTable({
        table: "artifacts",
        title: "name",
        ref: "module_key || '.' || name",
        detail: "artifact_type",
        also: ["description"],
        indexed: "artifact",
      }),
    }),
    contribute(SearchSourcePoint, {
      kind: "pack",
      permission: permissions.ArtifactsRead,
      search: searchTable({
        table: "pack_installs",
        id: "pack_id",
        title: "name",
        detail: "version",
        also: ["pack_id"],
      }),
    }),
    contribute(UsageCounterPoint, { name: "artifacts", count }),
    contribute(CausalTracerPoint, executionTracer),
    contribute(ExecutorPoint, ...scriptSteps, customStep),
    contribute(NodeTypePoint, ...scriptSteps.map(({ type }) => type)),
    contribute(ReferenceCheckPoint, checkArtifactNodes, checkModuleImports),
    contribute(ScriptModulePoint, moduleSource),
    contribute(DeploymentFollowerPoint, pinFollower),
    contribute(ModuleChangePoint, findModuleChanges),
    contribute(NodeFamilyPoint, customNodes),
    contribute(PalettePoint, artifactEntries),
    contribute(ConnectorActionPoint, artifactActions),
    contribute(PackContentPoint, artifactContent),
    contribute(ReferenceSourcePoint, {
      kind: "artifact",
      permission: permissions.ArtifactsRead,
      find: findInTable("artifacts", "detail"),
    }),
    contribute(UnattendedWorkPoint, unattendedArtifacts),
  ],
});
