import Type from "typebox";
import { FileTooLarge, QuotaExceeded, releaseReceived } from "#domains/files/index.ts";
import { HOOK_METHODS } from "#domains/workflows/index.ts";
import { Failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { startEvents } from "../events.ts";
import { CredentialsInvalid, SignatureInvalid } from "./hook-auth.ts";
import { readWebhookInput } from "./hook-input.ts";
import {
  dropUploads,
  findInbound,
  type FoundTrigger,
  partitionOfTrigger,
  startFound,
} from "./hook-trigger.ts";
import { awaitAnswer, type RunAnswer, WebhookRunFailed, writeInbound } from "./run-answer.ts";
import { type FileResponse, openResponse } from "./webhook-response.ts";

const WAIT_MAX_MS = 30_000;

const Accepted = Type.Object(
  {
    runId: id("run"),
    status: Type.String({
      description: "Current status of the run; `duplicate` for a key that already started a run",
    }),
  },
  { title: "AcceptedRequest" },
);

/** A response, and the run that can still respond. */
interface ReceivedRequest extends RawResponse {
  readonly awaited?: { readonly found: FoundTrigger<"webhook">; readonly runId: string };
  /** A response with a file, which is opened once the run is written. */
  readonly answered?: { readonly found: FoundTrigger<"webhook">; readonly response: FileResponse };
}

const word = (of: number) => Type.Optional(line(200, `Segment ${of} of the trigger path`));

export const receiveWebhook = command({
  id: "hooks.receive",
  route: "POST /hooks/{workspace}/{token}",
  aliases: [
    ...(["GET", "PUT", "PATCH", "DELETE"] as const).map(
      (method) => `${method} /hooks/{workspace}/{token}` as const,
    ),
    ...HOOK_METHODS.flatMap((method) => [
      `${method} /inbound/{workspace}/{token}/{one}` as const,
      `${method} /inbound/{workspace}/{token}/{one}/{two}` as const,
      `${method} /inbound/{workspace}/{token}/{one}/{two}/{three}` as const,
    ]),
  ],
  summary: "Send a request to the webhook of a workflow",
  description: `The URL is \`trigger.url\` of a workflow with a \`webhook\` trigger. The body can have any format: expressions read JSON, forms and other text as \`trigger.input.body\`. They read files (including files in \`multipart/form-data\`) as handles. \`trigger.input\` also contains \`headers\`, \`query\`, and \`params\` if the trigger has a \`path\`. If the trigger requires a signature or credentials, the request must contain them. The response is 202 with the id of the run; with a \`respond\` step, it is the response of this step. With \`respond: last_step\`, it is the output of the run. After ${WAIT_MAX_MS / 1_000} seconds the response is 202. With \`dedupe\`, a repeated key gets the id of the first run and \`status: duplicate\`. Responses do not set cookies.`,
  access: "public",
  readsRequest: "files",
  longRunning: true,
  params: object({
    workspace: line(200),
    token: line(200),
    one: word(1),
    two: word(2),
    three: word(3),
  }),
  query: object({
    environment: Type.Optional(
      Type.Enum(["production", "staging", "development"], {
        description: "Environment. Default: `production`",
      }),
    ),
  }),
  response: rawResponse<ReceivedRequest>(Accepted, "Response of the workflow."),
  emits: startEvents,
  // A repeated idempotency key does not start a run.
  allowNoop: true,
  fails: [
    SignatureInvalid,
    CredentialsInvalid,
    RateLimited,
    WebhookRunFailed,
    FileTooLarge,
    QuotaExceeded,
  ],
  example: { params: { workspace: "default", token: "Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl" } },
  async prepare(platform, { params, query: { environment = "production" } }, caller) {
    const { workspace, token, one, two, three } = params;
    const words = [one, two, three].filter((text) => text !== undefined);
    const address = { workspace, token, words, environment };
    const matches = await findInbound(platform, "webhook", address);
    const method = caller.request?.method === "HEAD" ? "GET" : (caller.request?.method ?? "");
    const found = matches.find(({ named: { trigger } }) =>
      (trigger.methods ?? ["POST"]).some((known) => known === method),
    );
    if (!found) throw new Failure(NotFound);
    const { workflowId } = found.target;
    const source = `hook ${workflowId} from ${classifyAddress(caller.address)}`;
    platform.rateLimit.assert(source, platform.settings.rateLimit);
    const read = await readWebhookInput(platform, found, caller);
    const { uploads } = read;
    try {
      return { found, uploads, prepared: await startFound(platform, found, caller, { ...read }) };
    } catch (error) {
      await dropUploads(platform, found, uploads);
      throw error;
    }
  },
  partitionOf: ({ found }) => partitionOfTrigger(found),
  async run(ctx, _input, { found, uploads, prepared }): Promise<ReceivedRequest | Failure> {
    const answer = await writeInbound(ctx, found, prepared);
    if (answer.status === "duplicate") {
      // Released in the same commit. A kill after it would otherwise leave files stored for a day.
      await releaseReceived(ctx, uploads ?? []);
      return toAcceptedResponse(answer);
    }
    if (answer.response && "file" in answer.response) {
      return { ...toAcceptedResponse(answer), answered: { found, response: answer.response } };
    }
    if (answer.response) return answer.response;
    const accepted = toAcceptedResponse(answer);
    if (answer.isOpen) return { ...accepted, awaited: { found, runId: answer.runId } };
    return answer.status === "failed" && isAwaited(found) ? toRunFailure(answer.runId) : accepted;
  },
  async afterCommit(platform, _input, { value: { awaited, answered }, caller }) {
    if (answered) return openResponse(platform, answered.found, answered.response);
    if (!awaited) return undefined;
    const wait = { waitMs: WAIT_MAX_MS, gone: caller.disconnected };
    const answer = await awaitAnswer(platform, awaited.found, awaited.runId, wait);
    if (answer.response) return openResponse(platform, awaited.found, answer.response);
    if (answer.status === "failed" || answer.status === "cancelled") {
      throw toRunFailure(answer.runId);
    }
    return toAcceptedResponse(answer);
  },
});

function isAwaited({ target, named: { trigger } }: FoundTrigger<"webhook">): boolean {
  return (
    (trigger.respond ?? (target.version.plan.answers ? "respond_step" : "at_once")) !== "at_once"
  );
}

function toAcceptedResponse({
  runId,
  status,
}: Pick<RunAnswer, "runId" | "status">): ReceivedRequest {
  const body = JSON.stringify({ data: { runId, status } });
  return { status: 202, headers: { "content-type": "application/json; charset=utf-8" }, body };
}

/** Contains only the run id, because the error is for readers of the run. */
function toRunFailure(runId: string): Failure {
  return new Failure(WebhookRunFailed, { extra: { runId } });
}
