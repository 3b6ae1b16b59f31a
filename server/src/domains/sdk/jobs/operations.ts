import Type from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page, withSuccess, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  Artifact,
  ArtifactExists,
  ModuleKey,
  NewArtifact,
  ARTIFACT_STATUSES,
  TooManyArtifacts,
} from "../artifacts/artifact.ts";
import { parseArtifactInput } from "../artifacts/artifact-input.ts";
import { creationEffect } from "../artifacts/effect.ts";
import { ArtifactCreated } from "../artifacts/events.ts";
import { create } from "../artifacts/service.ts";
import { list, readSettings } from "../artifacts/store.ts";
import { ArtifactExecuted } from "../execution/events.ts";
import { ArtifactsExecute, ArtifactsRead, ArtifactsWrite } from "../permissions.ts";
import { type JobResult, runScheduledJob, JOB_TIMEOUT_MS, recordJobResult } from "./run-job.ts";
import { scheduleWakeup } from "./schedule.ts";
import { ExecutedJob, ScheduledJob } from "./scheduled-job.ts";
import * as store from "./store.ts";
import { environmentOf } from "./scheduled-job.ts";

const LIST = "scheduled jobs, newest first";
/** Sorts after every id. */
const ID_MAX = "~";
/** The maximum number of jobs per call of `run-due`. The next call or the scheduler executes the rest. */
const DUE_JOBS_MAX = 100;

export const listScheduledJobs = query({
  id: "scheduled_jobs.list",
  route: "GET /api/v1/sdk/scheduled-jobs",
  aliases: ["GET /api/flowsdk/scheduled-jobs", "GET /api/v1/flowsdk/scheduled-jobs"],
  summary: "List scheduled jobs with their next and last runs",
  permission: ArtifactsRead,
  query: object({
    ...pageQuery,
    moduleKey: Type.Optional(ModuleKey),
    status: Type.Optional(Type.Enum([...ARTIFACT_STATUSES])),
  }),
  response: withSuccess(page(withRevision(ScheduledJob))),
  async run({ tx, services }, { query: { limit, after, ...filters } }) {
    const [before = ID_MAX] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const found = await list(tx, {
      ...filters,
      artifactType: "scheduled_job",
      before: String(before),
      limit: limit + 1,
    });
    const ids = found.map(({ id }) => id);
    const [times, settings] = [await store.findByArtifacts(tx, ids), await readSettings(tx, ids)];
    return toPage(
      found,
      limit,
      (artifact) => {
        const detail = settings.get(artifact.id) ?? {};
        return {
          ...artifact,
          cron: detail.cron ?? "",
          timezone: detail.timezone ?? "UTC",
          environment: environmentOf({ detail }),
          retries: detail.retryPolicy?.retries ?? 0,
          ...(times.get(artifact.id) ?? { nextDueAt: null, lastExecution: null }),
        };
      },
      ({ id }) => services.cursors.encode(LIST, [id]),
    );
  },
});

const { artifactType: _, ...fields } = NewArtifact;

export const createScheduledJob = command({
  id: "scheduled_jobs.create",
  effect: creationEffect,
  route: "POST /api/v1/sdk/scheduled-jobs",
  aliases: ["POST /api/flowsdk/scheduled-jobs", "POST /api/v1/flowsdk/scheduled-jobs"],
  summary: "Create a scheduled job",
  description:
    "Creates an artifact of the type `scheduled_job`; update and delete it as an artifact. If the artifact is `active`, it runs in the environment `detail.environment` (default: `production`) with the permissions of the member who last saved it. Its input is `{ dueAt, attempt }`.",
  permission: ArtifactsWrite,
  body: object({ ...fields, artifactType: Type.Optional(Type.Literal("scheduled_job")) }),
  response: withSuccess(
    created(Artifact, { location: ({ id }) => `/api/v1/flowsdk/artifacts/${id}` }),
  ),
  emits: [ArtifactCreated],
  fails: [ArtifactExists, TooManyArtifacts],
  example: {
    body: {
      name: "nightly",
      moduleKey: "examples",
      status: "active",
      detail: {
        cron: "30 2 * * *",
        timezone: "Europe/Berlin",
        retryPolicy: { retries: 3 },
        scriptSource: "context.log.info('Good night', { dueAt: input.dueAt });",
      },
    },
  },
  prepare: (platform, { body: { detail } }, caller) =>
    parseArtifactInput(platform, caller, { artifactType: "scheduled_job", detail }),
  run: (ctx, { body }, input) => create(ctx, { ...body, artifactType: "scheduled_job" }, input),
});

export const runDueJobs = command({
  id: "scheduled_jobs.run_due",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/flowsdk/scheduled-jobs/run-due",
  aliases: [
    "POST /api/v1/flowsdk/scheduled-jobs/run-due",
    "POST /api/v1/sdk/scheduled-jobs/run-due",
  ],
  summary: "Run all scheduled jobs that are due",
  description: `At most ${DUE_JOBS_MAX}, each in its environment and with its permissions. Jobs that the scheduler has already started are skipped, and the scheduler skips jobs that this request has started.`,
  permission: ArtifactsExecute,
  longRunning: true,
  allowNoop: true,
  response: withSuccess(
    item(Type.Object({ executed: Type.Array(ExecutedJob) }, { title: "ExecutedJobs" })),
  ),
  emits: [ArtifactExecuted],
  prepare: (platform, _input, caller) => executeDueJobs(platform, caller),
  async run(ctx, _input, { results, released, refusal }) {
    for (const result of results) await recordJobResult(ctx, result);
    // A worker that woke up for one of them has postponed its wake-up to the end of this claim.
    for (const { artifactId } of [...results.map(({ due }) => due), ...released]) {
      await scheduleWakeup(ctx, artifactId);
    }
    if (refusal && results.length === 0) return refusal;
    return {
      executed: results.flatMap(({ due: { artifactId, dueAt }, execution }) =>
        execution
          ? [{ artifactId, executionId: execution.id, status: execution.status, dueAt }]
          : [],
      ),
    };
  },
});

interface DueJobsResult {
  readonly results: readonly JobResult[];
  /** Jobs whose claim was released and that are due again. */
  readonly released: readonly store.DueJob[];
  /** The failure of the first job rejected by the sandbox. */
  readonly refusal: Failure | undefined;
}

/** Claims the due jobs and runs them. The sandbox limits the concurrency. */
async function executeDueJobs(
  platform: Platform,
  { workspace, environment, cause }: Caller,
): Promise<DueJobsResult> {
  if (!workspace) throw new Error("A scheduled job belongs to a workspace.");
  const partition = { workspace: workspace.key, environment };
  const filters = {
    claim: newId("clm"),
    now: platform.clock.now(),
    leaseMs: JOB_TIMEOUT_MS,
    limit: DUE_JOBS_MAX,
  };
  const due = await platform.db.write(partition, (session) =>
    store.claim((text, values) => session.send(text, values), filters),
  );
  const settled = await Promise.allSettled(
    due.map((result) => runScheduledJob(platform, result, cause)),
  );
  const fulfilled = settled.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
  const results = fulfilled.filter((end) => end !== undefined);
  const released = due.filter(({ artifactId }) =>
    results.every(({ artifact }) => artifact.id !== artifactId),
  );
  // Jobs that could not start because the sandbox was full are due again.
  if (released.length > 0) {
    const ids = released.map(({ artifactId }) => artifactId);
    await platform.db.write(partition, (session) =>
      session.send(store.RELEASE_CLAIMS, [filters.claim, ids]),
    );
  }
  const failed = settled.find((end) => end.status === "rejected");
  const refusal = failed?.reason instanceof Failure ? failed.reason : undefined;
  if (failed && !refusal && results.length === 0) throw failed.reason;
  return { results, released, refusal };
}
