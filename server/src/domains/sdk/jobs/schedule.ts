/** The schedule of jobs, saved in the transaction that saves the artifact. */
import Type from "typebox";
import { job } from "#kernel/work/job.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { type Artifact, ArtifactId } from "../artifacts/artifact.ts";
import { ArtifactExecuted } from "../execution/events.ts";
import { runScheduledJob, JOB_TIMEOUT_MS, recordJobResult } from "./run-job.ts";
import * as store from "./store.ts";
import { environmentOf, nextTime } from "./scheduled-job.ts";

const RETRY_DELAY_MAX_MS = 60_000;
const CONCURRENCY = 16;

type ScheduledArtifact = Pick<Artifact, "id" | "artifactType" | "status" | "detail">;

/**
 * Saves the next due time of an active scheduled job. An unchanged schedule is kept, so that a late execution or a
 * retry still happens.
 */
export async function saveSchedule(
  ctx: WriteContext<never>,
  artifact: ScheduledArtifact,
  before?: ScheduledArtifact,
): Promise<void> {
  if (artifact.artifactType !== "scheduled_job") return;
  if (before && scheduleKey(before) === scheduleKey(artifact)) return;
  const dueAt = artifact.status === "active" ? nextTime(artifact, ctx.now) : null;
  await store.upsertSchedule(ctx.tx, {
    artifactId: artifact.id,
    environment: environmentOf(artifact),
    dueAt,
  });
  if (dueAt) enqueueWakeup(ctx, artifact.id, dueAt);
}

/**
 * Wakes a worker when a job is due. Only a wake-up: the process that claims the job's row runs it, possibly in a call
 * of `run-due`.
 */
export const scheduledArtifactJob = job({
  kind: "sdk.scheduled_job",
  payload: Type.Object({ artifactId: ArtifactId }),
  emits: [ArtifactExecuted],
  // Retries without limit, because the schedule would otherwise stop permanently. The row counts the script's
  // attempts.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  timeoutMs: JOB_TIMEOUT_MS,
  concurrency: CONCURRENCY,
  async effect(platform, { artifactId }, { id }) {
    const now = platform.clock.now();
    const options = { claim: id, now, leaseMs: JOB_TIMEOUT_MS, artifactId, limit: 1 };
    const [due] = await store.claim((sql, values) => platform.db.system(sql, values), options);
    return due && runScheduledJob(platform, due);
  },
  async run(ctx, { artifactId }, result) {
    if (result) await recordJobResult(ctx, result);
    await scheduleWakeup(ctx, artifactId);
  },
});

/** Enqueues a wake-up for the time in the row. */
export async function scheduleWakeup(ctx: WriteContext<never>, artifactId: string): Promise<void> {
  const at = await store.findWakeTime(ctx.tx, artifactId);
  if (at !== undefined) enqueueWakeup(ctx, artifactId, new Date(at));
}

function enqueueWakeup(ctx: WriteContext<never>, artifactId: string, dueAt: Date): void {
  ctx.enqueue(scheduledArtifactJob, { artifactId }, { key: artifactId, dueAt, onConflict: "move" });
}

function scheduleKey({ status, detail }: ScheduledArtifact): string {
  const { cron, timezone, environment } = detail;
  return JSON.stringify([status === "active", cron, timezone, environment]);
}
