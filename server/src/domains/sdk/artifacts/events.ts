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
    "An artifact was updated. `changes` contains `detail` if its source, schedule or limits changed, which also created a version, and `modules` if linked modules were updated.",
  data: ArtifactSummary,
});

export const ArtifactRestored = event("artifact.restored", {
  resource,
  summary: "An earlier version of an artifact was restored as a new version.",
  data: Type.Object({ ...ArtifactSummary.properties, restoredFrom: Type.Integer() }),
});

export const ArtifactDeleted = event("artifact.deleted", {
  resource,
  summary: "An artifact was deleted.",
  data: ArtifactSummary,
});
