/** The response of a run to its external caller. */
import { type ExecutionPlan, holdVersion } from "#domains/workflows/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Failure, failure, NotFound } from "#kernel/operation/failure.ts";
import type { RawResponse } from "#kernel/operation/response.ts";
import { toCheckpoint } from "../engine/checkpoint.ts";
import { foldJournal } from "../engine/journal-record.ts";
import type { RunStatus } from "../engine/store.ts";
import type { StartEvent } from "../events.ts";
import { awaitRun } from "../run-watch.ts";
import { takeKey } from "../start/dedupe.ts";
import { type PreparedStart, writeRunStart } from "../start/start-run.ts";
import { readStepLines } from "../summary/journal-outline.ts";
import type { AnyFoundTrigger } from "./hook-trigger.ts";
import { keepRequest } from "./kept/kept-request.ts";
import {
  type FileResponse,
  findAnswering,
  toRawResponse,
  toWebhookResponse,
} from "./webhook-response.ts";

export const WebhookRunFailed = failure(
  "run_failed",
  500,
  "The workflow failed before it returned a response.",
);

export type RespondMode = "at_once" | "last_step" | "respond_step";

/** The run state shown to an external caller. */
export interface RunAnswer {
  readonly runId: string;
  readonly status: RunStatus | "duplicate";
  /** The response of the run, if it exists. */
  readonly response?: RawResponse | FileResponse;
  /** The time of the response, if a caller waited for it. */
  readonly answeredAt?: string | undefined;
  /** True while the run can still respond. */
  readonly isOpen: boolean;
}

/** The response mode of a trigger. A respond step takes precedence. */
export function respondModeOf({ target, named: { trigger } }: AnyFoundTrigger): RespondMode {
  const chosen = trigger.type === "chat" ? undefined : trigger.respond;
  const { answers } = target.version.plan;
  return chosen ?? (answers ? "respond_step" : trigger.type === "chat" ? "last_step" : "at_once");
}

/** Writes a run with an external caller, unless its idempotency key already started one. */
export async function writeInbound(
  ctx: WriteContext<StartEvent>,
  found: AnyFoundTrigger,
  prepared: PreparedStart,
): Promise<RunAnswer> {
  const { run, start, execution, result } = prepared;
  const { plan, versionId } = start.version;
  const mode = respondModeOf(found);
  const checkpoint = execution && toCheckpoint(execution, result);
  const status = checkpoint?.status ?? (run.limited ? "queued" : "running");
  ctx.switchPartition({ workspace: run.workspace, environment: run.environment });
  const { id: triggerId, trigger } = found.named;
  const rule = trigger.type === "webhook" ? trigger.dedupe : undefined;
  const earlier = await takeKey(ctx, run, { rule, triggerId });
  if (earlier !== undefined) return { runId: earlier, status: "duplicate", isOpen: false };
  const hold = result ? true : holdVersion(ctx.tx, versionId);
  const [, isKept] = await Promise.all([writeRunStart(ctx, prepared), hold]);
  if (!isKept) throw new Failure(NotFound);
  keepRequest(ctx, found, prepared);
  const response =
    mode === "respond_step"
      ? execution && toWebhookResponse(plan, execution.steps)
      : mode === "last_step" && status === "completed"
        ? toOutputResponse(checkpoint?.output)
        : undefined;
  const isOpen = mode !== "at_once" && !response && !result;
  return { runId: run.id, status, isOpen, ...(response && { response }) };
}

/** Waits for the response until the caller's timeout. */
export async function awaitAnswer(
  platform: Platform,
  found: AnyFoundTrigger,
  runId: string,
  wait: { readonly waitMs: number; readonly gone: AbortSignal | undefined },
): Promise<RunAnswer> {
  const { target, environment } = found;
  const partition = { workspace: target.workspace, environment };
  const mode = respondModeOf(found);
  const look = () => readGiven(platform, partition, runId, target.version.plan);
  const { run, found: early } = await awaitRun(platform, partition, runId, {
    ...wait,
    // The caller does not wait for steps after the response.
    ...(mode === "respond_step" && { look }),
  });
  const status = run?.status ?? "running";
  const ended =
    status === "completed"
      ? { response: toOutputResponse(run?.output), answeredAt: run?.finishedAt ?? undefined }
      : undefined;
  const given = mode === "last_step" ? ended : (early ?? (await look()));
  return { runId, status, isOpen: false, ...given };
}

/** Reads only the responding steps, because a complete journal can have megabytes. */
async function readGiven(
  { db }: Platform,
  partition: Partition,
  runId: string,
  plan: ExecutionPlan,
): Promise<Pick<RunAnswer, "response" | "answeredAt"> | undefined> {
  const answering = plan.graph.nodes.filter(({ type }) => type.answers === true);
  if (answering.length === 0) return undefined;
  const paths = answering.map(({ id }) => id);
  const read = await db.read(partition, (tx) => readStepLines(tx, runId, paths));
  const steps = foldJournal(read.map(({ line }) => line));
  const response = toWebhookResponse(plan, steps);
  return response && { response, answeredAt: findAnswering(plan, steps)?.finishedAt };
}

function toOutputResponse(output: unknown): RawResponse {
  return toRawResponse({ status: 200, headers: {}, body: output ?? null });
}
