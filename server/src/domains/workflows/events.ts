import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { Version, VersionId } from "./versions/version.ts";
import { WorkflowData } from "./workflow.ts";

const resource = "workflow";
const Environment = Type.Enum(["production", "staging", "development"]);

export const WorkflowCreated = event("workflow.created", {
  resource,
  summary: "A workflow was made.",
  data: WorkflowData,
});

export const WorkflowUpdated = changeEvent("workflow.updated", {
  resource,
  summary:
    "A workflow's definition was saved. `changes` names `nodes` and `edges` too; they are in the version.",
  data: WorkflowData,
});

export const WorkflowArchived = event("workflow.archived", {
  resource,
  summary: "A workflow was archived; its triggers are off everywhere.",
  data: WorkflowData,
});

export const WorkflowRestored = event("workflow.restored", {
  resource,
  summary: "A workflow's definition was overwritten with that of one of its versions.",
  data: Type.Object({ ...WorkflowData.properties, versionId: VersionId, version: Type.Integer() }),
});

const Deployed = Type.Object({
  ...WorkflowData.properties,
  environment: Environment,
  versionId: VersionId,
  version: Type.Integer(),
  previousVersionId: nullable(VersionId),
});

export const WorkflowPublished = event("workflow.published", {
  resource,
  summary: "A version of a workflow became the active one of an environment.",
  data: Type.Object({
    ...Deployed.properties,
    rehearsal: Type.Optional(
      nullable(
        Type.Object(
          {
            allow: Type.Array(Type.String()),
            counts: Type.Record(Type.String(), Type.Integer()),
          },
          { description: "Of the gate; null when the gate was taken away" },
        ),
      ),
    ),
  }),
});

export const WorkflowRolledBack = event("workflow.rolled_back", {
  resource,
  summary: "An earlier version of a workflow became the active one of an environment again.",
  data: Deployed,
});

const Switched = Type.Object({
  ...WorkflowData.properties,
  environment: Environment,
  versionId: VersionId,
  version: Type.Integer(),
});

export const WorkflowUnarchived = event("workflow.unarchived", {
  resource,
  summary: "An archived workflow can be changed and deployed again.",
  data: WorkflowData,
});

export const WorkflowActivated = event("workflow.activated", {
  resource,
  summary: "A workflow's trigger was turned on in an environment.",
  data: Switched,
});

export const WorkflowDeactivated = event("workflow.deactivated", {
  resource,
  summary: "A workflow's trigger was turned off in an environment.",
  data: Switched,
});

export const VersionCreated = event("workflow.version_created", {
  resource: "workflow_version",
  summary: "A version was added to a workflow's history.",
  data: Version,
});

export const VersionLabelled = changeEvent("workflow.version_labelled", {
  resource: "workflow_version",
  summary: "A version was given a label, or lost it.",
  data: Version,
});

export const VersionArchived = event("workflow.version_archived", {
  resource: "workflow_version",
  summary: "A version was archived: it is kept, and can't be deployed.",
  data: Version,
});

/** The deployed app or workflow: both share these two events. */
const deployed = {
  kind: Type.Enum(["workflow", "app"]),
  id: Type.String(),
  name: Type.String(),
  environment: Environment,
};

export const DeployCompleted = event("deploy.completed", {
  resource: "deployment",
  summary: "A version was deployed to an environment.",
  data: Type.Object({ ...deployed, versionId: Type.String(), version: Type.Integer() }),
});

export const DeployFailed = event("deploy.failed", {
  resource: "deployment",
  summary: "A version could not be deployed to an environment; `reasons` say why.",
  data: Type.Object({
    ...deployed,
    versionId: nullable(Type.String({ description: "Null when it would have been a new one" })),
    reasons: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  }),
});
