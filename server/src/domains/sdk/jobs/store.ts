import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { LastExecution } from "./scheduled-job.ts";

/** One time of one job that somebody has claimed. */
export interface Due {
  readonly artifactId: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly dueAt: string;
  readonly attempt: number;
  readonly beganAt: string;
  readonly claim: string;
}

/** Sets a job's next time, whatever is under way: who has claimed it loses the claim. */
export async function put(
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

/** Who claimed before and comes again still has it; a claim that was left behind runs out. */
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

type Run = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

/** Claims what is due: one job, or all that `run` can see. */
export async function claim(
  run: Run,
  wanted: {
    readonly claim: string;
    readonly now: Date;
    readonly leaseMs: number;
    readonly artifactId?: string;
    readonly limit: number;
  },
): Promise<readonly Due[]> {
  const { claim: by, now, leaseMs, artifactId = null, limit } = wanted;
  // What the statement returns, by its names.
  return (await run(CLAIM, [by, now, leaseMs, artifactId, limit])) as readonly Due[];
}

/** What comes after an execution. */
export interface Next {
  readonly dueAt: Date | null;
  readonly runAt: Date | null;
  readonly attempt: number;
  readonly beganAt: Date | null;
}

/** Ends a claim. Where it was lost meanwhile, only what came of the execution is noted. */
export async function finish(
  tx: Tx,
  { artifactId, claim: by }: Due,
  { next, last }: { readonly next: Next; readonly last: LastExecution },
): Promise<void> {
  const row = tx.updateTable("scheduled_jobs").where("artifact_id", "=", artifactId);
  await row.set({ last_execution: JSON.stringify(last) }).execute();
  await row
    .set({
      due_at: next.dueAt,
      run_at: next.runAt,
      attempt: next.attempt,
      began_at: next.beganAt,
      claim: null,
      claimed_until: null,
    })
    .where("claim", "=", by)
    .execute();
}

/** Gives claims back untouched. */
export const RELEASE = `
  update scheduled_jobs set claim = null, claimed_until = null
   where claim = $1 and artifact_id = any ($2)`;

/** When somebody should look at it: at its time, or when a claim of others runs out. */
export async function alarmOf(tx: Tx, artifactId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("scheduled_jobs")
    .select(sql<string | null>`greatest(run_at, claimed_until)`.as("at"))
    .where("artifact_id", "=", artifactId)
    .where("run_at", "is not", null)
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** What is known of some jobs, by their artifacts. */
export async function of(tx: Tx, artifactIds: readonly string[]) {
  if (artifactIds.length === 0) return new Map<string, never>();
  const rows = await tx
    .selectFrom("scheduled_jobs")
    .select(["artifact_id", "due_at as nextDueAt", "last_execution as last"])
    .where("artifact_id", "in", artifactIds)
    .execute();
  return new Map(
    rows.map(({ artifact_id: id, nextDueAt, last }) => [
      id,
      // Only what `finish` wrote is there.
      { nextDueAt, lastExecution: last as LastExecution | null },
    ]),
  );
}
