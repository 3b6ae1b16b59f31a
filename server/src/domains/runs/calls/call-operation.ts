import Type, { type Static } from "typebox";
import {
  assertOwnFiles,
  discardFiles,
  FileTooLarge,
  QuotaExceeded,
  type ReceivedFile,
  receiveFiles,
  releaseReceived,
} from "#domains/files/index.ts";
import { waitForCall } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import {
  Failure,
  invalidInput,
  MethodNotAllowed,
  NotFound,
  RateLimited,
  TooLarge,
} from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import { checkAgainst } from "#kernel/schema/json-schema-check.ts";
import { toStorableJson } from "#kernel/schema/json-value.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { foldJournal } from "../engine/journal-record.ts";
import { runActor } from "../engine/run-context.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { isOver, type RunRow } from "../engine/store.ts";
import { RunCalled } from "../events.ts";
import { CREDENTIALS } from "../inbound/hook-auth.ts";
import { toRawResponse } from "../inbound/webhook-response.ts";
import { RunId } from "../run.ts";
import { toRunContext } from "../start/queued-start.ts";
import { insertUploads } from "../start/run-files.ts";
import { outputSizeError } from "../steps/step-error.ts";
import { lock, readEntries } from "../store.ts";
import {
  AlreadyCalled,
  assertCallable,
  type CallRequest,
  deliverCall,
  WaitOver,
} from "./call-state.ts";
import { type OpenedStep, openStep } from "./opened-step.ts";

const Taken = Type.Object(
  { runId: id("run"), stepId: Type.String(), status: Type.Literal("taken") },
  { title: "TakenCall" },
);

type CallConfig = Static<typeof waitForCall.config>;

/** A step called over HTTP. */
interface CalledStep extends OpenedStep {
  readonly config: CallConfig;
}

export const callRun = command({
  id: "runs.call",
  route: "POST /resume/{runId}/{token}",
  aliases: (["GET", "PUT", "PATCH", "DELETE"] as const).map(
    (method) => `${method} /resume/{runId}/{token}` as const,
  ),
  summary: "Send a request to a waiting step",
  description:
    "The URL of a `wait_for_call` step; expressions of its run read it as `run.resumeUrl`. Body, query, headers and files become the output of the step. The response is the one from the configuration of the step, or 202. A request that arrives before the step starts is stored for it. A second request gets 409, and a request to an ended step gets 410.",
  access: "public",
  readsRequest: "files",
  params: object({ runId: RunId, token: line(2_000) }),
  response: rawResponse<RawResponse>(Taken, "Response of the step."),
  emits: [RunCalled],
  // A late call only releases its files.
  allowNoop: true,
  fails: [AlreadyCalled, WaitOver, MethodNotAllowed, RateLimited, FileTooLarge, QuotaExceeded],
  example: {
    params: {
      runId: "run_01jd0000000000000000000000",
      token: "YXNr.Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl",
    },
  },
  async prepare(platform, { params }, caller) {
    const opened = await openStep(platform, params, caller);
    if (isOver(opened.row.status)) throw new Failure(WaitOver);
    if (opened.node.type.type !== waitForCall.type) throw new Failure(NotFound);
    // Check before the body is read, so that files of unauthorised callers are not stored.
    assertCallable(opened.record);
    const step = { ...opened, config: opened.node.config as CallConfig };
    const { methods = ["POST"] } = step.config;
    const method = caller.request?.method === "HEAD" ? "GET" : (caller.request?.method ?? "");
    if (!methods.some((known) => known === method)) {
      throw new Failure(MethodNotAllowed, { detail: `It takes ${methods.join(", ")}.` });
    }
    return { step, ...(await readCall(platform, step, { caller, method })) };
  },
  async run(ctx, _input, { step: { version, path, config }, call, uploads, partition }) {
    ctx.switchPartition(partition);
    const row = await lock(ctx.tx, partition.runId);
    const entries = await readEntries(ctx.tx, row.id);
    const record = foldJournal(entries.flatMap(({ records }) => [...records])).get(path);
    const run = toRunContext(row, version);
    let waits: boolean;
    try {
      if (isOver(row.status)) throw new Failure(WaitOver);
      waits = assertCallable(record);
      await deliverCall(ctx, { runId: row.id, path, waits }, call);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // Rejected requests must release their files: many can arrive at once, and files stay stored for a day.
      await releaseReceived(ctx, uploads);
      return error;
    }
    await insertUploads(ctx, run, uploads);
    ctx.setActor(runActor(run));
    const summary = toRunSummary(run, { status: row.status }, ctx.now);
    ctx.emit(RunCalled, runRef(run), { ...summary, stepId: path, early: !waits });
    return toAnswer(row.id, path, config.response);
  },
});

/** Converts the request to the output of the step. */
async function readCall(
  platform: Platform,
  { row, config: { schema } }: CalledStep,
  { caller: { request, upload }, method }: { readonly caller: Caller; readonly method: string },
): Promise<{
  readonly call: CallRequest;
  readonly uploads: readonly ReceivedFile[];
  readonly partition: {
    readonly workspace: string;
    readonly environment: RunRow["environment"];
    readonly runId: string;
  };
}> {
  if (!request) throw new Error("A request came without itself.");
  const partition = { workspace: row.workspace_id, environment: row.environment };
  const received = upload
    ? await receiveFiles(platform, partition, upload)
    : { body: parseAnyBody(request.bytes, request.mediaType), files: [] };
  const { body, files: uploads } = received;
  try {
    assertOwnFiles(body, uploads);
    const errors = schema ? checkAgainst(schema, body) : [];
    if (errors.length > 0) throw invalidInput(errors);
    const visible = Object.entries(request.headers).filter(([name]) => !CREDENTIALS.includes(name));
    const call = toStorableJson({
      body,
      query: request.query,
      headers: Object.fromEntries(visible),
      method,
      receivedAt: platform.clock.now().toISOString(),
    });
    if (outputSizeError(call)) throw new Failure(TooLarge);
    return { call, uploads, partition: { ...partition, runId: row.id } };
  } catch (error) {
    await discardFiles(platform, partition, uploads);
    throw error;
  }
}

function toAnswer(runId: string, stepId: string, response: CallConfig["response"]): RawResponse {
  if (response) {
    const { status = 200, headers = {}, body = null } = response;
    return toRawResponse({ status, headers, body });
  }
  const body = { data: { runId, stepId, status: "taken" } };
  return toRawResponse({ status: 202, headers: {}, body });
}
