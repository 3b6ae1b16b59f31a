import { activeMemberSql } from "#domains/identity/accounts/index.ts";
import { sql } from "kysely";
import {
  type ActivityReader,
  NO_ACTIVITY,
  type WorkflowActivity,
} from "#domains/workflows/index.ts";
import { firstIdAt } from "#kernel/schema/id.ts";
import { elapsedMs } from "../store.ts";
import { scheduleJob } from "../triggers/schedule.ts";

const RECENT_RUNS = 20;
const COUNTED_RUNS_MAX = 1_000;
const COUNTED_MS = 24 * 3_600_000;

interface RecentRow {
  readonly workflow_id: string;
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

interface CountRow {
  readonly workflow_id: string;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** Reads the recent activity of workflows, using the run index of each. */
export const readWorkflowActivity: ActivityReader = async (tx, workflowIds, now) => {
  const since = firstIdAt("run", now.getTime() - COUNTED_MS);
  const [recent, counts, due] = await Promise.all([
    sql<RecentRow>`
      select w.id as workflow_id, r.id, r.status, r.created_at, r.started_at, r.finished_at
        from unnest(${workflowIds}::text[]) as w (id)
        cross join lateral
          (select * from runs r where r.workflow_id = w.id and r.test is null
            order by r.id desc limit ${RECENT_RUNS}) r
       order by w.id, r.id desc`.execute(tx),
    sql<CountRow>`
      select w.id as workflow_id, count(*)::int as total,
             (count(*) filter (where r.status = 'completed'))::int as completed,
             (count(*) filter (where r.status = 'failed'))::int as failed
        from unnest(${workflowIds}::text[]) as w (id)
        cross join lateral
          (select r.status from runs r where r.workflow_id = w.id and r.id >= ${since} and r.test is null
            order by r.id desc limit ${COUNTED_RUNS_MAX}) r
       group by w.id`.execute(tx),
    // The job of a deactivated schedule still exists.
    sql<{ workflow_id: string; due_at: string }>`
      select j.key as workflow_id, coalesce(j.next_due_at, j.due_at) as due_at
        from jobs j
       where j.kind = ${scheduleJob.kind} and j.key = any (${workflowIds}::text[]) and j.failed_at is null
         and exists (select from workflow_deployments d
                      where d.workflow_id = j.key and d.environment = j.environment and d.enabled
                        and ${sql.raw(activeMemberSql("d.deployed_by", "d.workspace_id"))})`.execute(
      tx,
    ),
  ]);
  const countsById = new Map(counts.rows.map((row) => [row.workflow_id, row]));
  const byWorkflow = Map.groupBy(recent.rows, (row) => row.workflow_id);
  const dueById = new Map(due.rows.map((row) => [row.workflow_id, row.due_at]));
  const ids = new Set([...byWorkflow.keys(), ...dueById.keys()]);
  return new Map(
    Array.from(ids, (id) => {
      const activity = toActivity(byWorkflow.get(id) ?? [], countsById.get(id));
      return [id, { ...activity, nextDueAt: dueById.get(id) ?? null }];
    }),
  );
};

function toActivity(rows: readonly RecentRow[], counts: CountRow | undefined): WorkflowActivity {
  const [last] = rows;
  const { total = 0, completed = 0, failed = 0 } = counts ?? {};
  return {
    ...NO_ACTIVITY,
    lastRunAt: last?.created_at ?? null,
    lastStatus: last?.status ?? null,
    lastDay: { total, completed, failed, truncated: total === COUNTED_RUNS_MAX },
    recent: rows.map((row) => ({
      id: row.id,
      status: row.status,
      createdAt: row.created_at,
      durationMs: elapsedMs(row.started_at, row.finished_at),
    })),
  };
}
