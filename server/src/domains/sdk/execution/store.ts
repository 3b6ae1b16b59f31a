import type { Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import type { Transaction } from "#kernel/db/database.ts";
import type { EventMaker } from "#kernel/log/event.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import type { Execution, ExecutionSummary } from "./execution.ts";

export const NoSuchExecution = failure(
  "not_found",
  404,
  "The execution does not exist, or you can't see it.",
);

const INSERT = `
  insert into artifact_executions
    (id, artifact_id, version_number, trigger_type, status, due_at, attempt, started_at, duration_ms,
     outcome, run_as, correlation_id, causation_id, made_by, step_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`;

/** The user and the cause of an execution. */
export interface ExecutionOrigin {
  readonly runAs: string | undefined;
  readonly correlationId: string;
  readonly causationId: string | undefined;
  readonly madeBy: EventMaker | undefined;
}

/** Sends the statement without waiting. The commit waits for it. */
export function insert(
  send: Transaction["send"],
  execution: Execution,
  { runAs, correlationId, causationId, madeBy }: ExecutionOrigin,
): void {
  const { outcome, logs, ...rest } = execution;
  void send(INSERT, [
    rest.id,
    rest.artifactId,
    rest.versionNumber,
    rest.triggerType,
    rest.status,
    rest.dueAt,
    rest.attempt,
    rest.startedAt,
    rest.durationMs,
    JSON.stringify({ outcome, logs }),
    runAs ?? null,
    correlationId,
    causationId ?? null,
    madeBy?.id ?? null,
    madeBy?.stepId ?? null,
  ]);
}

const FIELDS = [
  "id",
  "artifact_id as artifactId",
  "version_number as versionNumber",
  "trigger_type as triggerType",
  "status",
  "due_at as dueAt",
  "attempt",
  "started_at as startedAt",
  "duration_ms as durationMs",
] as const;

/** Lists executions, newest first, without their outcomes, which can be large. */
export async function list(
  tx: Tx,
  artifactId: string,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<Static<typeof ExecutionSummary>[]> {
  const rows = await tx
    .selectFrom("artifact_executions")
    .select(FIELDS)
    .where("artifact_id", "=", artifactId)
    .where("id", "<", before)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  // The columns contain only data written by `insert`.
  return rows as Static<typeof ExecutionSummary>[];
}

/** An execution with the user in whose name it ran. */
export async function get(
  tx: Tx,
  artifactId: string,
  id: string,
): Promise<Execution & { readonly runAs: string | null }> {
  const row = await tx
    .selectFrom("artifact_executions")
    .select([...FIELDS, "outcome as details", "run_as as runAs"])
    .where("artifact_id", "=", artifactId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw new Failure(NoSuchExecution);
  return toExecution(row);
}

function toExecution<Row extends { readonly details: unknown; readonly runAs: string | null }>({
  details,
  ...row
}: Row): Execution & { readonly runAs: string | null } {
  // The column contains only data written by `insert`.
  return { ...row, ...(details as object) } as unknown as Execution & {
    readonly runAs: string | null;
  };
}

const DAY_MS = 24 * 3_600_000;

const PRUNE = `
  delete from artifact_executions e
   where e.ctid = any (array(
           select o.ctid from artifact_executions o
            where o.started_at < $1 order by o.started_at limit $2))`;

/** Deletes executions after the retention time of runs. */
export const executionRetentionJob = retentionJob({
  kind: "sdk.prune_executions",
  async remove({ db, settings, clock }, rowsMax) {
    if (settings.runRetentionDays === 0) return 0;
    const before = new Date(clock.nowMs() - settings.runRetentionDays * DAY_MS);
    return deleteAcrossWorkspaces(db, PRUNE, [before, rowsMax]);
  },
});
