import { sql } from "kysely";
import type { CausalTracer } from "#kernel/contributions/causal-tracer.ts";
import { ArtifactsRead } from "../permissions.ts";

interface Row {
  readonly id: string;
  readonly artifact_id: string;
  readonly name: string | null;
  readonly status: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly correlation_id: string | null;
  readonly causation_id: string | null;
  readonly made_by: string | null;
  readonly step_id: string | null;
}

/** Reads script executions, which events reference as their makers. */
export const executionTracer: CausalTracer = {
  kind: "execution",
  prefix: "exe",
  permission: ArtifactsRead,
  find: async () => [],
  async read(tx, ids) {
    const { rows } = await sql<Row>`
      select e.id, e.artifact_id, a.name, e.status, e.started_at, e.duration_ms,
             e.correlation_id, e.causation_id, e.made_by, e.step_id
        from artifact_executions e left join artifacts a on a.id = e.artifact_id
       where e.id = any (${ids}::text[])`.execute(tx);
    return rows.map((row) => ({
      id: row.id,
      causationId: row.causation_id,
      ...(row.correlation_id !== null && { correlationId: row.correlation_id }),
      ...(row.made_by !== null && {
        madeBy: { id: row.made_by, ...(row.step_id !== null && { stepId: row.step_id }) },
      }),
      status: row.status,
      summary: `Execution of ${row.name ?? row.artifact_id}: ${row.status}`,
      createdAt: row.started_at,
      finishedAt: new Date(Date.parse(row.started_at) + row.duration_ms).toISOString(),
      of: { id: row.artifact_id, name: row.name ?? row.artifact_id },
    }));
  },
};
