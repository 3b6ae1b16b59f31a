/** One execution of a scheduled job: the script first, outside of any transaction, then what came of it. */
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { type Causation, SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { find } from "../artifacts/store.ts";
import { ArtifactExecuted } from "../execution/events.ts";
import type { Execution } from "../execution/execution.ts";
import { recordExecution } from "../execution/run-artifact.ts";
import { backgroundCaller, runInBackground } from "../execution/background-run.ts";
import * as store from "./store.ts";
import { nextTime } from "./scheduled-job.ts";

/** As long as a script may take, and its wait for a place in the sandbox. */
export const JOB_TIMEOUT_MS = 330_000;
const BACKOFF_MS = 2_000;
const BACKOFF_MAX_MS = 300_000;

/** An execution that is still to be written down. */
export interface JobResult {
  readonly due: store.Due;
  readonly artifact: Artifact;
  readonly execution: Execution;
  readonly cause: Causation;
}

/** Runs the script of a time that was claimed; undefined where the job is gone or off by now. */
export async function runScheduledJob(
  platform: Platform,
  due: store.Due,
  // Each time begins a chain of its own.
  cause: Causation = { correlationId: newId("cor"), depth: 1 },
): Promise<JobResult | undefined> {
  const { workspace, environment, dueAt, attempt } = due;
  const partition = { workspace, environment };
  const artifact = await platform.db.read(partition, (tx) => find(tx, due.artifactId));
  if (artifact?.status !== "active") return undefined;
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

/** Writes down what came of it, and when the job runs again: for the same time if that may help. */
export async function recordJobResult(
  ctx: WriteContext<typeof ArtifactExecuted>,
  { due, artifact, execution, cause }: JobResult,
): Promise<void> {
  const { workspace, environment } = due;
  // What a script did is told in the log of the environment that it did it in.
  ctx.switchPartition({ workspace, environment });
  if (!ctx.caller.credential) ctx.setActor(SYSTEM_ACTOR, cause);
  recordExecution(ctx, artifact, execution);
  ctx.switchPartition({ workspace, environment: ctx.caller.environment });
  const { id: executionId, status, dueAt, attempt, startedAt, durationMs } = execution;
  const last = { executionId, status, dueAt, attempt, startedAt, durationMs };
  await store.finish(ctx.tx, due, { next: nextOf(ctx.now, { due, artifact, execution }), last });
}

function nextOf(
  now: Date,
  { due, artifact, execution }: Pick<JobResult, "due" | "artifact" | "execution">,
): store.Next {
  const { retries } = artifact.detail.retryPolicy ?? { retries: 0 };
  const ended = execution.status === "completed" || execution.status === "aborted";
  const beganAt = new Date(due.beganAt);
  if (ended || due.attempt > retries) {
    // What passed since it began is made up for by one execution, what had passed before by this one.
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
