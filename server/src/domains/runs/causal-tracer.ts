import { sql } from "kysely";
import type { CausalTracer } from "#kernel/contributions/causal-tracer.ts";

const FOUND_MAX = 2_000;

interface TracedRow {
  readonly id: string;
  readonly causation_id: string;
  readonly name: string;
  readonly status: string;
  readonly created_at: string;
}

/** Finds the runs that events started, for the trace of an event. */
export const runTracer: CausalTracer = {
  kind: "run",
  async find(tx, eventIds) {
    const { rows } = await sql<TracedRow>`
      select r.id, r.causation_id, w.name, r.status, r.created_at
        from runs r join workflows w on w.id = r.workflow_id
       where r.causation_id = any (${eventIds}::text[])
       order by r.id limit ${FOUND_MAX}`.execute(tx);
    return rows.map(({ id, causation_id: causationId, name, status, created_at: createdAt }) => ({
      id,
      causationId,
      status,
      summary: `Run of ${name}: ${status}`,
      createdAt,
    }));
  },
};
