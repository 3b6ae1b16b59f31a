import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { ExecutionSummary } from "./execution.ts";

export const ArtifactExecuted = event("artifact.executed", {
  resource: "artifact",
  summary: "An artifact was executed, whatever came of it.",
  data: Type.Object({
    ...ExecutionSummary.properties,
    error: Type.Unsafe<string | null>({
      type: ["string", "null"],
      description: "The name of the error, where there was one",
    }),
  }),
});
