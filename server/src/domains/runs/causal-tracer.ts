import { type RawBuilder, sql } from "kysely";
import { WorkflowsRead } from "#domains/workflows/index.ts";
import type {
  CausalTracer,
  TracedItem,
  TracedSource,
} from "#kernel/contributions/causal-tracer.ts";
import type { Tx } from "#kernel/db/connection.ts";

const FOUND_MAX = 10_000;

interface TracedRow {
  readonly id: string;
  readonly causation_id: string | null;
  readonly correlation_id: string;
  readonly parent_run_id: string | null;
  readonly parent_path: string | null;
  readonly workflow_id: string;
  readonly name: string;
  readonly status: string;
  readonly created_at: string;
  readonly finished_at: string | null;
}

/** Finds the runs started by events, for the trace of an event. */
export const runTracer: CausalTracer = {
  kind: "run",
  prefix: "run",
  permission: WorkflowsRead,
  find: async (tx, eventIds) =>
    // The query selects rows with a cause only.
    (await selectRuns(tx, sql`r.causation_id = any (${eventIds}::text[])`)) as TracedItem[],
  read: (tx, ids) => selectRuns(tx, sql`r.id = any (${ids}::text[])`),
};

async function selectRuns(tx: Tx, condition: RawBuilder<unknown>): Promise<TracedSource[]> {
  const { rows } = await sql<TracedRow>`
    select r.id, r.causation_id, r.correlation_id, r.parent_run_id, r.parent_path, r.workflow_id, w.name,
           r.status, r.created_at, r.finished_at
      from runs r join workflows w on w.id = r.workflow_id
     where ${condition} order by r.id limit ${FOUND_MAX}`.execute(tx);
  return rows.map(toTraced);
}

function toTraced(row: TracedRow): TracedSource {
  const { id, status, name, parent_run_id: parentId, parent_path: stepId } = row;
  return {
    id,
    causationId: row.causation_id,
    correlationId: row.correlation_id,
    status,
    summary: `Run of ${name}: ${status}`,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    of: { id: row.workflow_id, name },
    ...(parentId !== null && stepId !== null && { madeBy: { id: parentId, stepId } }),
  };
}
