import { NobodyBehind } from "#domains/identity/accounts/index.ts";
import Type from "typebox";
import { WorkflowId, ArchivedWorkflow, WorkflowsTrigger } from "#domains/workflows/index.ts";
import { command } from "#kernel/operation/operation.ts";
import { accepted, item } from "#kernel/operation/response.ts";
import { InputTime, line, object } from "#kernel/schema/schema.ts";
import { BulkRetry, previewRetries } from "../control/retry-preview.ts";
import { requestRetries } from "../control/bulk-retry.ts";
import { requestCancels, selectCancels, UNFINISHED } from "../control/bulk-cancel.ts";
import { cancelRunTree } from "../control/cancel-run.ts";
import { BulkCancelRequested, BulkRetryRequested, RunCancelled, RunRetried } from "../events.ts";
import { restartRun } from "../control/retry-run.ts";
import {
  NotDeployed,
  Run,
  RunId,
  RunNotFailed,
  RunNotOver,
  RunOver,
  TestRunFinal,
  VersionGone,
} from "../run.ts";
import { assertReadableFiles } from "../start/run-files.ts";
import { get, lock } from "../store.ts";
import { ByRun, runExample } from "./read.ts";

const BULK_RUNS_MAX = 1_000;

export const cancelRun = command({
  id: "runs.cancel",
  effect: "drastic",
  route: "POST /api/v1/runs/{runId}/cancel",
  summary: "Cancel a run",
  description:
    "Immediately cancels the run and the runs that its steps wait for. Active requests to other systems are aborted.",
  permission: WorkflowsTrigger,
  params: ByRun,
  response: item(Run),
  emits: [RunCancelled],
  fails: [RunOver],
  example: runExample,
  async run(ctx, { params: { runId } }) {
    await cancelRunTree(ctx, runId);
    return get(ctx.tx, runId);
  },
});

export const retryRun = command({
  id: "runs.retry",
  effect: "ordinary",
  route: "POST /api/v1/runs/{runId}/retry",
  summary: "Retry a run",
  description:
    "Continues the same run: from the failed or cancelled step, with its completed steps; from the start; or from a step, which runs again with all following steps. With `latest`, it continues with the currently deployed version; steps that this version does not have, or that have another type, count as not completed. Steps send new idempotency keys.",
  permission: WorkflowsTrigger,
  params: ByRun,
  body: object({
    from: Type.Optional(
      line(
        1_000,
        "`failed` (default), `start` or the id of a step. `start` and steps also work for completed runs",
      ),
    ),
    input: Type.Optional(
      Type.Unknown({
        description:
          "New input for `from: start`. Only for manual runs, webhook runs and sub-workflow runs. If the version is not deployed, the run uses your permissions",
      }),
    ),
    version: Type.Optional(Type.Enum(["same", "latest"], { description: "Default: `same`" })),
  }),
  bodyOptional: true,
  response: accepted(Run),
  emits: [RunRetried],
  fails: [
    RunNotOver,
    RunNotFailed,
    TestRunFinal,
    VersionGone,
    NotDeployed,
    ArchivedWorkflow,
    NobodyBehind,
  ],
  example: { ...runExample, body: { from: "failed", version: "same" } },
  prepare: (platform, { body }, caller) =>
    assertReadableFiles(platform, caller, { input: body.input }),
  async run(ctx, { params: { runId }, body: { from = "failed", version = "same", input } }) {
    await restartRun(ctx, await lock(ctx.tx, runId), { from, version, input });
    return get(ctx.tx, runId);
  },
});

export const retryRuns = command({
  id: "runs.retry_many",
  effect: "drastic",
  route: "POST /api/v1/runs/retry",
  summary: "Retry many runs",
  description:
    "Retries failed runs in the background, oldest first. The response contains the number of selected runs. Runs that another request retries, or whose version was deleted, are skipped. With `dryRun`, nothing is retried: `count` is the number of runs, and `skipped` contains the reasons for the other runs.",
  permission: WorkflowsTrigger,
  body: object({
    filter: Type.Optional(
      object({
        workflowId: Type.Optional(WorkflowId),
        status: Type.Optional(
          Type.Enum(["failed", "cancelled"], { description: "Default: `failed`" }),
        ),
        from: Type.Optional(InputTime),
        to: Type.Optional(InputTime),
        error: Type.Optional(line(200, "Part of the error code or error message")),
        runIds: Type.Optional(
          Type.Array(RunId, {
            minItems: 1,
            maxItems: BULK_RUNS_MAX,
            description: "Ids of workflows",
          }),
        ),
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({
        description: "Returns the number of runs and the skipped runs without retrying",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: BULK_RUNS_MAX, description: "Default: 1000" }),
    ),
  }),
  bodyOptional: true,
  allowNoop: true,
  response: accepted(BulkRetry),
  emits: [BulkRetryRequested],
  example: { body: { filter: { status: "failed", from: "2026-01-01T00:00:00Z" }, limit: 100 } },
  run: async (ctx, { body: { filter = {}, limit = BULK_RUNS_MAX, dryRun = false } }) =>
    dryRun
      ? previewRetries(ctx, filter, limit)
      : { count: await requestRetries(ctx, filter, limit) },
});

export const cancelRuns = command({
  id: "runs.cancel_many",
  effect: "drastic",
  route: "POST /api/v1/runs/cancel",
  summary: "Cancel many runs",
  description:
    "Cancels the selected active runs in the background, oldest first, with the runs that their steps wait for. The response contains the number of selected runs. Runs that end in the meantime are skipped. With `dryRun`, nothing is cancelled: `count` is the number of runs.",
  permission: WorkflowsTrigger,
  body: object({
    filter: Type.Optional(
      object({
        workflowId: Type.Optional(WorkflowId),
        status: Type.Optional(Type.Enum([...UNFINISHED], { description: "Default: all of these" })),
        from: Type.Optional(InputTime),
        to: Type.Optional(InputTime),
        runIds: Type.Optional(
          Type.Array(RunId, {
            minItems: 1,
            maxItems: BULK_RUNS_MAX,
            description: "Ids of workflows",
          }),
        ),
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Returns the number of runs without cancelling" }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: BULK_RUNS_MAX, description: "Default: 1000" }),
    ),
  }),
  allowNoop: true,
  response: accepted(Type.Object({ count: Type.Integer() }, { title: "BulkCancel" })),
  emits: [BulkCancelRequested],
  example: { body: { filter: { status: "waiting", to: "2026-01-01T00:00:00Z" }, dryRun: true } },
  async run(ctx, { body: { filter = {}, limit = BULK_RUNS_MAX, dryRun = false } }) {
    if (dryRun) return { count: (await selectCancels(ctx.tx, filter, limit)).length };
    return { count: await requestCancels(ctx, filter, limit) };
  },
});
