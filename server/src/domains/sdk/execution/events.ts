import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { ExecutionSummary } from "./execution.ts";

export const ArtifactExecuted = event("artifact.executed", {
  resource: "artifact",
  summary: "An artifact was executed, with or without success.",
  data: Type.Object({
    ...ExecutionSummary.properties,
    error: Type.Unsafe<string | null>({
      type: ["string", "null"],
      description: "Name of the error",
    }),
  }),
});
