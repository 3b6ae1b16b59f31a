import type { PlannedVersion } from "#domains/workflows/index.ts";
import type { RunFacts } from "./run-context.ts";
import type { RunRow } from "./store.ts";

/** The facts of a run, from its row and its version. */
export function factsOf(row: RunRow, version: PlannedVersion): RunFacts {
  const { causation_id, correlation_id, depth, parent_run_id, parent_path, deadline_at } = row;
  return {
    id: row.id,
    workspace: row.workspace_id,
    environment: row.environment,
    workflowId: row.workflow_id,
    workflowName: version.definition.name,
    versionId: row.version_id,
    lane: row.lane,
    triggerType: row.trigger_type,
    trigger: row.trigger,
    actor: row.actor,
    runAs: row.run_as,
    permissions: row.permissions ?? undefined,
    cause: {
      correlationId: correlation_id,
      ...(causation_id !== null && { causationId: causation_id }),
      depth,
    },
    parent:
      parent_run_id !== null && parent_path !== null
        ? { runId: parent_run_id, path: parent_path }
        : undefined,
    test: row.test ?? undefined,
    generation: row.generation,
    limited: version.definition.maxConcurrency !== undefined,
    concurrencyKey: row.concurrency_key ?? undefined,
    createdAt: row.created_at,
    deadlineMs: deadline_at === null ? Number.POSITIVE_INFINITY : Date.parse(deadline_at),
  };
}
