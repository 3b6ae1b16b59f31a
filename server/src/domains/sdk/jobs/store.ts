import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { LastExecution } from "./scheduled-job.ts";

/** A claimed due time of a scheduled job. */
export interface DueJob {
  readonly artifactId: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly dueAt: string;
  readonly attempt: number;
  readonly beganAt: string;
  readonly claim: string;
}

/** Sets a job's next due time, and revokes the claim of a running execution. */
export async function upsertSchedule(
  tx: Tx,
  {
    artifactId,
    environment,
    dueAt,
  }: {
    readonly artifactId: string;
    readonly environment: EnvironmentName;
    readonly dueAt: Date | null;
  },
): Promise<void> {
  const values = {
    environment,
    due_at: dueAt,
    run_at: dueAt,
    attempt: 1,
    claim: null,
    claimed_until: null,
    began_at: null,
  };
  await tx
    .insertInto("scheduled_jobs")
    .values({ artifact_id: artifactId, ...values })
    .onConflict((conflict) => conflict.column("artifact_id").doUpdateSet(values))
    .execute();
}

/** A claim can be renewed by its holder, and expires when it is abandoned. */
const CLAIM = `
  update scheduled_jobs j
     set claim = $1, claimed_until = $2::timestamptz + $3 * interval '1 millisecond',
         began_at = coalesce(j.began_at, $2)
   where j.artifact_id in (
           select d.artifact_id from scheduled_jobs d
            where d.run_at <= $2 and (d.claimed_until is null or d.claimed_until <= $2 or d.claim = $1)
              and ($4::text is null or d.artifact_id = $4)
            order by d.run_at limit $5 for update skip locked)
  returning j.artifact_id as "artifactId", j.workspace_id as workspace, j.environment,
            j.due_at as "dueAt", j.attempt, j.began_at as "beganAt", j.claim`;

type RunStatement = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

/** Claims due jobs: one, or all that are visible to `run`. */
export async function claim(
  run: RunStatement,
  options: {
    readonly claim: string;
    readonly now: Date;
    readonly leaseMs: number;
    readonly artifactId?: string;
    readonly limit: number;
  },
): Promise<readonly DueJob[]> {
  const { claim: claimId, now, leaseMs, artifactId = null, limit } = options;
  // The statement returns these columns.
  return (await run(CLAIM, [claimId, now, leaseMs, artifactId, limit])) as readonly DueJob[];
}

/** The schedule after an execution. */
export interface NextRun {
  readonly dueAt: Date | null;
  readonly runAt: Date | null;
  readonly attempt: number;
  readonly beganAt: Date | null;
}

/** Ends a claim. If the claim was lost, only the last execution is recorded, if there was one. */
export async function finish(
  tx: Tx,
  { artifactId, claim: claimId }: DueJob,
  { next, last }: { readonly next: NextRun; readonly last?: LastExecution },
): Promise<void> {
  const row = tx.updateTable("scheduled_jobs").where("artifact_id", "=", artifactId);
  if (last) await row.set({ last_execution: JSON.stringify(last) }).execute();
  await row
    .set({
      due_at: next.dueAt,
      run_at: next.runAt,
      attempt: next.attempt,
      began_at: next.beganAt,
      claim: null,
      claimed_until: null,
    })
    .where("claim", "=", claimId)
    .execute();
}

/** Releases claims without an execution. */
export const RELEASE_CLAIMS = `
  update scheduled_jobs set claim = null, claimed_until = null
   where claim = $1 and artifact_id = any ($2)`;

/** Finds when to wake up for a job: at its due time, or when another claim expires. */
export async function findWakeTime(tx: Tx, artifactId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("scheduled_jobs")
    .select(sql<string | null>`greatest(run_at, claimed_until)`.as("at"))
    .where("artifact_id", "=", artifactId)
    .where("run_at", "is not", null)
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** Finds the schedules of these artifacts. */
export async function findByArtifacts(tx: Tx, artifactIds: readonly string[]) {
  if (artifactIds.length === 0) return new Map<string, never>();
  const rows = await tx
    .selectFrom("scheduled_jobs")
    .select(["artifact_id", "due_at as nextDueAt", "last_execution as last"])
    .where("artifact_id", "in", artifactIds)
    .execute();
  return new Map(
    rows.map(({ artifact_id: id, nextDueAt, last }) => [
      id,
      // Only written by `finish`.
      { nextDueAt, lastExecution: last as LastExecution | null },
    ]),
  );
}
