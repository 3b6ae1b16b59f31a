/** When scheduled jobs are due: kept in the transaction that saves the artifact. */
import Type from "typebox";
import { job } from "#kernel/work/job.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { type Artifact, ArtifactId } from "../artifacts/artifact.ts";
import { ArtifactExecuted } from "../execution/events.ts";
import { runScheduledJob, JOB_TIMEOUT_MS, recordJobResult } from "./run-job.ts";
import * as store from "./store.ts";
import { environmentOf, nextTime } from "./scheduled-job.ts";

const RETRY_DELAY_MAX_MS = 60_000;
const HANDS = 16;

type Scheduled = Pick<Artifact, "id" | "artifactType" | "status" | "detail">;

/**
 * Notes when the artifact is due next, if it is a job that is on. Where its times are what they were,
 * one that is late, or to be tried again, is still to come.
 */
export async function saveSchedule(
  ctx: WriteContext<never>,
  artifact: Scheduled,
  before?: Scheduled,
): Promise<void> {
  if (artifact.artifactType !== "scheduled_job") return;
  if (before && timesOf(before) === timesOf(artifact)) return;
  const dueAt = artifact.status === "active" ? nextTime(artifact, ctx.now) : null;
  await store.put(ctx.tx, { artifactId: artifact.id, environment: environmentOf(artifact), dueAt });
  if (dueAt) ring(ctx, artifact.id, dueAt);
}

/**
 * Wakes a worker when a job is due. It is only an alarm: who runs the job is whoever claims its row,
 * be it this or somebody who asks for all that is due.
 */
export const runOnTime = job({
  kind: "sdk.scheduled_job",
  payload: Type.Object({ artifactId: ArtifactId }),
  emits: [ArtifactExecuted],
  // A job that gave up would be silent for good; its own attempts are counted in its row.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  timeoutMs: JOB_TIMEOUT_MS,
  concurrency: HANDS,
  async effect(platform, { artifactId }, { id }) {
    const now = platform.clock.now();
    const wanted = { claim: id, now, leaseMs: JOB_TIMEOUT_MS, artifactId, limit: 1 };
    const [due] = await store.claim((sql, values) => platform.db.system(sql, values), wanted);
    return due && runScheduledJob(platform, due);
  },
  async run(ctx, { artifactId }, done) {
    if (done) await recordJobResult(ctx, done);
    await scheduleWakeup(ctx, artifactId);
  },
});

/** Sets the alarm to when the row says, whoever wrote that. */
export async function scheduleWakeup(ctx: WriteContext<never>, artifactId: string): Promise<void> {
  const at = await store.alarmOf(ctx.tx, artifactId);
  if (at !== undefined) ring(ctx, artifactId, new Date(at));
}

function ring(ctx: WriteContext<never>, artifactId: string, dueAt: Date): void {
  ctx.enqueue(runOnTime, { artifactId }, { key: artifactId, dueAt, onConflict: "move" });
}

function timesOf({ status, detail }: Scheduled): string {
  const { cron, timezone, environment } = detail;
  return JSON.stringify([status === "active", cron, timezone, environment]);
}
