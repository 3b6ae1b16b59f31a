import { findRights } from "#domains/identity/accounts/index.ts";
/** One execution of a scheduled job: the script runs outside any transaction, then its result is recorded. */
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { type Causation, SYSTEM_ACTOR } from "#kernel/log/event.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { find } from "../artifacts/store.ts";
import { ArtifactExecuted } from "../execution/events.ts";
import type { Execution } from "../execution/execution.ts";
import { recordExecution } from "../execution/run-artifact.ts";
import { backgroundCaller, runInBackground } from "../execution/background-run.ts";
import * as store from "./store.ts";
import { nextTime } from "./scheduled-job.ts";

/** The maximum duration of a script, including its wait for the sandbox. */
export const JOB_TIMEOUT_MS = 330_000;
const BACKOFF_MS = 2_000;
const BACKOFF_MAX_MS = 300_000;

/** An execution that is not recorded yet. */
export interface JobResult {
  readonly due: store.DueJob;
  readonly artifact: Artifact;
  /** Absent if the member behind the job has left; it then does not start. */
  readonly execution: Execution | undefined;
  readonly cause: Causation;
}

/** Runs a claimed job. Undefined if it was deleted or disabled in the meantime. */
export async function runScheduledJob(
  platform: Platform,
  due: store.DueJob,
  // Each execution starts a new causal chain.
  cause: Causation = { correlationId: newCorrelationId(platform.clock), depth: 1 },
): Promise<JobResult | undefined> {
  const { workspace, environment, dueAt, attempt } = due;
  const partition = { workspace, environment };
  const artifact = await platform.db.read(partition, (tx) => find(tx, due.artifactId));
  if (artifact?.status !== "active") return undefined;
  if (!(await findRights(platform, workspace, artifact))) {
    return { due, artifact, execution: undefined, cause };
  }
  const { execution } = await runInBackground(platform, {
    artifact,
    caller: await backgroundCaller(platform, artifact, { partition, cause }),
    input: { dueAt, attempt },
    triggerType: "schedule",
    dueAt,
    attempt,
  });
  return { due, artifact, execution, cause };
}

/** Records the execution and schedules the next one. After a failure, a retry for the same due time. */
export async function recordJobResult(
  ctx: WriteContext<typeof ArtifactExecuted>,
  { due, artifact, execution, cause }: JobResult,
): Promise<void> {
  if (!execution) {
    const dueAt = nextTime(artifact, ctx.now);
    await store.finish(ctx.tx, due, { next: { dueAt, runAt: dueAt, attempt: 1, beganAt: null } });
    return;
  }
  const { workspace, environment } = due;
  // The event belongs to the environment of the execution.
  ctx.switchPartition({ workspace, environment });
  if (!ctx.caller.credential) ctx.setActor(SYSTEM_ACTOR, cause);
  recordExecution(ctx, artifact, execution, { runAs: artifact.runAs, cause });
  ctx.switchPartition({ workspace, environment: ctx.caller.environment });
  const { id: executionId, status, dueAt, attempt, startedAt, durationMs } = execution;
  const last = { executionId, status, dueAt, attempt, startedAt, durationMs };
  await store.finish(ctx.tx, due, {
    next: planNextRun(ctx.now, { due, artifact, execution }),
    last,
  });
}

function planNextRun(
  now: Date,
  {
    due,
    artifact,
    execution,
  }: Pick<JobResult, "due" | "artifact"> & { readonly execution: Execution },
): store.NextRun {
  const { retries } = artifact.detail.retryPolicy ?? { retries: 0 };
  const isFinal = execution.status === "completed" || execution.status === "aborted";
  const beganAt = new Date(due.beganAt);
  if (isFinal || due.attempt > retries) {
    // Due times missed before its start are replaced by this execution; later ones run once.
    const dueAt = nextTime(artifact, beganAt);
    return { dueAt, runAt: dueAt, attempt: 1, beganAt: null };
  }
  const delayMs = Math.min(BACKOFF_MS * 2 ** (due.attempt - 1), BACKOFF_MAX_MS);
  return {
    dueAt: new Date(due.dueAt),
    runAt: new Date(now.getTime() + delayMs),
    attempt: due.attempt + 1,
    beganAt,
  };
}
