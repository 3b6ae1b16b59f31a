import type { StoredDefinition } from "#kernel/contributions/stored-definition.ts";
import { findStructureErrors } from "./check-workflow.ts";

/** Drafts and versions, as they must be to be saved. */
export const workflowDefinitions: readonly StoredDefinition[] = [
  "workflows",
  "workflow_versions",
].map((table) => ({
  table,
  columns: "definition",
  check: (services, row) => findStructureErrors(services, row["definition"]),
}));
