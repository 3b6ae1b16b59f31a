import Type from "typebox";
import { idPattern } from "#kernel/schema/id.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page, withRevision } from "#kernel/operation/response.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { versionFields } from "../workflow-input.ts";
import * as events from "../events.ts";
import { ByWorkflow, workflowExample, workflowRoutes } from "../routes.ts";
import { WorkflowsRead, WorkflowsWrite } from "../permissions.ts";
import { visibleWorkflow } from "../service.ts";
import * as workflows from "../store.ts";
import { Workflow, WorkflowIsArchived, WorkflowId } from "../workflow.ts";
import { Difference } from "./diff.ts";
import * as service from "./service.ts";
import { stepDiffFields } from "./step-diff.ts";
import * as store from "./store.ts";
import { FullVersion, Label, Version, VersionIsActive, VersionId } from "./version.ts";

const ByVersion = object({ id: WorkflowId, versionId: VersionId });
const versionExample = {
  params: { ...workflowExample.params, versionId: "wfv_01jd0000000000000000000000" },
};
const LIST = "versions of a workflow, newest first";

export const listWorkflowVersions = query({
  id: "workflows.list_versions",
  ...workflowRoutes("GET", "/{id}/versions"),
  summary: "List versions of a workflow, newest first",
  permission: WorkflowsRead,
  params: ByWorkflow,
  query: object(pageQuery),
  response: page(withRevision(Version)),
  example: workflowExample,
  async run({ tx, services }, { params: { id }, query: { limit, after } }) {
    await workflows.get(tx, id);
    const [last] = after === undefined ? [] : services.cursors.decode(`${LIST} ${id}`, after);
    const before = last === undefined ? undefined : Number(last);
    const rows = await store.list(tx, id, { before, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ version }) => services.cursors.encode(`${LIST} ${id}`, [version]),
    );
  },
});

export const snapshotWorkflow = command({
  id: "workflows.create_version",
  effect: "ordinary",
  ...workflowRoutes("POST", "/{id}/versions"),
  summary: "Create a version of a workflow",
  description:
    "Saves the live definition as a new version. It becomes the draft, and the previous draft is superseded.",
  permission: WorkflowsWrite,
  params: ByWorkflow,
  body: object(versionFields),
  bodyOptional: true,
  response: created(Version, {
    location: ({ workflowId, id }) => `/api/v1/workflows/${workflowId}/versions/${id}`,
  }),
  emits: [events.VersionCreated],
  fails: [WorkflowIsArchived],
  example: { ...workflowExample, body: { label: "Before the migration" } },
  run: (ctx, { params, body }) => service.snapshot(ctx, params.id, body),
});

export const getVersion = query({
  id: "workflows.get_version",
  ...workflowRoutes("GET", "/{id}/versions/{versionId}"),
  summary: "Get a version with its definition",
  permission: WorkflowsRead,
  params: ByVersion,
  response: item(FullVersion),
  example: versionExample,
  run: ({ tx }, { params }) => store.get(tx, params.id, { id: params.versionId }),
});

export const labelVersion = command({
  id: "workflows.label_version",
  effect: "ordinary",
  ...workflowRoutes("PATCH", "/{id}/versions/{versionId}"),
  summary: "Set or remove the label of a version",
  description: "Other fields of a version can't be changed.",
  permission: WorkflowsWrite,
  params: ByVersion,
  body: object({ label: nullable(Label) }),
  allowNoop: true,
  response: item(Version),
  emits: [events.VersionLabelled],
  example: { ...versionExample, body: { label: "Audit 2026" } },
  run: (ctx, { params, body }) => service.relabel(ctx, params, body.label),
});

export const restoreVersion = command({
  id: "workflows.restore_version",
  effect: "ordinary",
  ...workflowRoutes("POST", "/{id}/versions/{versionId}/restore"),
  summary: "Restore a version of a workflow",
  description:
    "Overwrites the live definition with that of the version. No version is created or changed, and deployed versions do not change. Deploy the workflow to use the restored definition; this creates a new version.",
  permission: WorkflowsWrite,
  params: ByVersion,
  response: item(Workflow),
  emits: [events.WorkflowRestored],
  fails: [WorkflowIsArchived],
  example: versionExample,
  run: async (ctx, { params }) => visibleWorkflow(ctx, await service.restore(ctx, params)),
});

export const archiveVersion = command({
  id: "workflows.archive_version",
  effect: "drastic",
  ...workflowRoutes("POST", "/{id}/versions/{versionId}/archive"),
  summary: "Archive a version",
  description:
    "The version stays in the history, is never deleted by retention, and can't be deployed. To use its definition again, restore it and deploy the workflow.",
  permission: WorkflowsWrite,
  params: ByVersion,
  allowNoop: true,
  response: item(Version),
  emits: [events.VersionArchived],
  fails: [VersionIsActive],
  example: versionExample,
  run: (ctx, { params }) => service.archive(ctx, params),
});

const Ref = Type.String({
  pattern: `^(live|[1-9][0-9]{0,8})$|${idPattern("wfv")}`,
  description: "Id or number of a version, or `live`",
});
const Side = Type.Object({
  id: nullable(VersionId),
  version: nullable(Type.Integer({ description: "Null for the live definition" })),
});

export const diffVersions = query({
  id: "workflows.diff_versions",
  ...workflowRoutes("GET", "/{id}/versions/{a}/diff/{b}"),
  summary: "Compare two versions",
  permission: WorkflowsRead,
  params: object({ id: WorkflowId, a: Ref, b: Ref }),
  response: item(
    Type.Object(
      { from: Side, to: Side, ...Difference.properties },
      { title: "WorkflowVersionDiff" },
    ),
  ),
  example: { params: { ...workflowExample.params, a: "1", b: "live" } },
  run: ({ tx }, { params: { id, a, b } }) => service.compare(tx, id, { a, b }),
});

export const diffDraft = query({
  id: "workflows.diff_draft",
  ...workflowRoutes("POST", "/{id}/diff"),
  summary: "Compare an unsaved definition with a version",
  description:
    "Compares by step, including steps in loops. The definition does not have to be valid. `from` can be the number or id of a version. Default: the live definition.",
  permission: WorkflowsRead,
  params: ByWorkflow,
  body: object({
    definition: Type.Record(Type.String(), Type.Unknown()),
    from: Type.Optional(Ref),
  }),
  response: item(
    Type.Object(
      {
        from: Side,
        identical: Type.Boolean(),
        fields: Type.Array(Type.String(), { description: "Other than nodes and edges" }),
        ...stepDiffFields,
      },
      { title: "WorkflowDraftDiff" },
    ),
  ),
  example: { ...workflowExample, body: { definition: { nodes: [], edges: [] }, from: "1" } },
  run: ({ tx }, { params: { id }, body: { definition, from = "live" } }) =>
    service.compareDraft(tx, id, { from, definition }),
});
