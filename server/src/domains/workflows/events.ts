import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { Version, VersionId } from "./versions/version.ts";
import { WorkflowData } from "./workflow.ts";

const resource = "workflow";
const Environment = Type.Enum(["production", "staging", "development"]);

export const WorkflowCreated = event("workflow.created", {
  resource,
  summary: "A workflow was created.",
  data: WorkflowData,
});

export const WorkflowUpdated = changeEvent("workflow.updated", {
  resource,
  summary:
    "The definition of a workflow was saved. `changes` can contain `nodes` and `edges`; the version contains them.",
  data: WorkflowData,
});

export const WorkflowArchived = event("workflow.archived", {
  resource,
  summary: "A workflow was archived. Its triggers are off in all environments.",
  data: WorkflowData,
});

export const WorkflowRestored = event("workflow.restored", {
  resource,
  summary: "A version of a workflow was restored to its live definition.",
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
  summary: "A version of a workflow was deployed to an environment.",
  data: Type.Object({
    ...Deployed.properties,
    rehearsal: Type.Optional(
      nullable(
        Type.Object(
          {
            allow: Type.Array(Type.String()),
            counts: Type.Record(Type.String(), Type.Integer()),
          },
          { description: "Settings of the rehearsal gate. Null if the gate was removed" },
        ),
      ),
    ),
  }),
});

export const WorkflowRolledBack = event("workflow.rolled_back", {
  resource,
  summary: "The deployment of a workflow was rolled back in an environment.",
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
  summary: "An archived workflow was restored.",
  data: WorkflowData,
});

export const WorkflowActivated = event("workflow.activated", {
  resource,
  summary: "A workflow was activated in an environment.",
  data: Switched,
});

export const WorkflowDeactivated = event("workflow.deactivated", {
  resource,
  summary: "A workflow was deactivated in an environment.",
  data: Switched,
});

export const VersionCreated = event("workflow.version_created", {
  resource: "workflow_version",
  summary: "A version of a workflow was created.",
  data: Version,
});

export const VersionLabelled = changeEvent("workflow.version_labelled", {
  resource: "workflow_version",
  summary: "The label of a version was set or removed.",
  data: Version,
});

export const VersionArchived = event("workflow.version_archived", {
  resource: "workflow_version",
  summary: "A version was archived. It can't be deployed.",
  data: Version,
});

/** A deployed app or workflow; both share these two events. */
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
  summary: "A deployment failed. `reasons` contains the errors.",
  data: Type.Object({
    ...deployed,
    versionId: nullable(Type.String({ description: "Null if the version did not exist yet" })),
    reasons: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  }),
});
