import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { ArtifactSummary } from "./artifact.ts";

const resource = "artifact";

export const ArtifactCreated = event("artifact.created", {
  resource,
  summary: "An artifact was created.",
  data: ArtifactSummary,
});

export const ArtifactUpdated = changeEvent("artifact.updated", {
  resource,
  summary:
    "An artifact was changed. `changes` names `detail` where its source, schedule or limits were, " +
    "which also gave it a new version, and `modules` where linked modules moved to newer versions.",
  data: ArtifactSummary,
});

export const ArtifactRestored = event("artifact.restored", {
  resource,
  summary: "An earlier version of an artifact was brought back, as a new one.",
  data: Type.Object({ ...ArtifactSummary.properties, restoredFrom: Type.Integer() }),
});

export const ArtifactDeleted = event("artifact.deleted", {
  resource,
  summary: "An artifact was deleted.",
  data: ArtifactSummary,
});
