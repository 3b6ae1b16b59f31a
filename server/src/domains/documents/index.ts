import { ExecutorPoint } from "#domains/runs/index.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { previewDocument } from "./preview.ts";
import { readStep, writeStep } from "./steps.ts";

/** Workflow steps that convert between files and data. */
export const documents = domain({
  name: "documents",
  summary: "Workflow steps and previews for documents.",
  tag: "workflows",
  permissions: [],
  events: [],
  operations: [previewDocument],
  contributions: [
    contribute(ExecutorPoint, readStep, writeStep),
    contribute(NodeTypePoint, readStep.type, writeStep.type),
  ],
});
