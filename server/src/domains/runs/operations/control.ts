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
  summary: "End a run",
  description:
    "It is over at once, and so are the runs that its steps wait for; what is under way outside is cut off.",
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
  summary: "Make a run that is over go on",
  description:
    "The same run goes on from where it failed or was cancelled, and keeps what had completed; or " +
    "from the start; or from a step, which is done again with all that follows from it. With `latest` " +
    "it goes on in the version that is deployed now: steps that this one does not have, or which are " +
    "of another type there, count as not done. Keys that steps send to others are new ones.",
  permission: WorkflowsTrigger,
  params: ByRun,
  body: object({
    from: Type.Optional(
      line(1_000, "`failed` (default), `start` or the id of a step (both also of a completed run)"),
    ),
    input: Type.Optional(
      Type.Unknown({
        description:
          "With `from: start`, the input in the place of the former one; of runs that began by hand, by a webhook " +
          "or as a subworkflow. A version that is not deployed has your permissions then",
      }),
    ),
    version: Type.Optional(Type.Enum(["same", "latest"], { description: "`same` unless given" })),
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
  summary: "Make many runs go on from where they failed",
  description:
    "The oldest ones first, in the background. The answer says how many were chosen; one that " +
    "somebody else retries meanwhile, or whose version is no longer kept, is passed over. With `dryRun` " +
    "nothing is retried: `count` is how many would be, and `skipped` says why others would not.",
  permission: WorkflowsTrigger,
  body: object({
    filter: Type.Optional(
      object({
        workflowId: Type.Optional(WorkflowId),
        status: Type.Optional(
          Type.Enum(["failed", "cancelled"], { description: "`failed` unless given" }),
        ),
        from: Type.Optional(InputTime),
        to: Type.Optional(InputTime),
        error: Type.Optional(line(200, "Part of the code or message of the error")),
        runIds: Type.Optional(
          Type.Array(RunId, { minItems: 1, maxItems: BULK_RUNS_MAX, description: "Of these runs" }),
        ),
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Only tell how many would be retried, and which would not" }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: BULK_RUNS_MAX, description: "1000 unless given" }),
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
  summary: "End many runs",
  description:
    "Those under way that the filter selects, the oldest first, in the background, each with the runs that its steps " +
    "wait for. The answer says how many were chosen; one that ends meanwhile is passed over. With `dryRun` nothing " +
    "is ended: `count` is how many would be.",
  permission: WorkflowsTrigger,
  body: object({
    filter: Type.Optional(
      object({
        workflowId: Type.Optional(WorkflowId),
        status: Type.Optional(
          Type.Enum([...UNFINISHED], { description: "All of these unless given" }),
        ),
        from: Type.Optional(InputTime),
        to: Type.Optional(InputTime),
        runIds: Type.Optional(
          Type.Array(RunId, { minItems: 1, maxItems: BULK_RUNS_MAX, description: "Of these runs" }),
        ),
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "Only tell how many would be ended" })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: BULK_RUNS_MAX, description: "1000 unless given" }),
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
