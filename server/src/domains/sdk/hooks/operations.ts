import Type from "typebox";
import { type Response, toRawResponse } from "#domains/runs/index.ts";
import type { Caller, RawRequest } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import { Failure, failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { findByName } from "../artifacts/store.ts";
import { backgroundCaller, runInBackground } from "../execution/background-run.ts";
import { ArtifactExecuted } from "../execution/events.ts";
import type { Execution } from "../execution/execution.ts";
import { recordExecution } from "../execution/run-artifact.ts";

const STATUS_MIN = 200;
const STATUS_MAX = 599;
const MEMBERS = ["status", "headers", "body"];

/**
 * What a script returned, as an answer: `{ status, headers, body }` with at least a status, or anything
 * else as the body of a 200. Nothing is an empty answer.
 */
function answerOf(returned: unknown): RawResponse {
  return toRawResponse(
    isResponse(returned)
      ? { status: returned.status, headers: textsOf(returned.headers), body: returned.body ?? null }
      : {
          status: returned === null || returned === undefined ? 204 : 200,
          headers: {},
          body: returned ?? null,
        },
  );
}

function isResponse(
  value: unknown,
): value is Pick<Response, "status"> & { readonly headers?: unknown; readonly body?: unknown } {
  if (typeof value !== "object" || value === null || !("status" in value)) return false;
  const { status } = value;
  const known = Object.keys(value).every((name) => MEMBERS.includes(name));
  return (
    known &&
    Number.isInteger(status) &&
    Number(status) >= STATUS_MIN &&
    Number(status) <= STATUS_MAX
  );
}

function textsOf(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** What a request becomes for the script that handles it, and what is kept of that. */

/** Our own credentials, which a script has no business with: sessions, tokens. */
const OURS = /^bearer\s+mr[a-z]?_/i;
/** What lets its sender in somewhere: the script may look at it, but it is not kept. */
const CREDENTIALS: readonly string[] = ["authorization", "proxy-authorization"];
const MASK = "[hidden]";

/** The input of the script. `rawBody` is the text whose bytes were sent, for signatures. */
function inputOf({ bytes, mediaType, headers, query }: RawRequest) {
  const shown = Object.entries(headers).filter(
    ([name, value]) => name !== "cookie" && !(CREDENTIALS.includes(name) && OURS.test(value)),
  );
  return {
    body: parseAnyBody(bytes, mediaType),
    rawBody: bytes.toString("utf8"),
    headers: Object.fromEntries(shown),
    query,
    method: "POST",
  };
}

/** An execution without the credentials that came in. */
function withoutCredentials(execution: Execution): Execution {
  const { current } = execution.outcome;
  const headers: unknown = Object(current)["headers"];
  if (typeof headers !== "object" || headers === null) return execution;
  const masked = Object.entries(headers).map(([name, value]: [string, unknown]) => [
    name,
    CREDENTIALS.includes(name) ? MASK : value,
  ]);
  const kept = { ...Object(current), headers: Object.fromEntries(masked) };
  return { ...execution, outcome: { ...execution.outcome, current: kept } };
}

const HandlerFailed = failure("handler_failed", 500, "The request could not be handled.");
const HandlerAborted = failure("handler_aborted", 400, "The request was not accepted.");

export const handleRequest = command({
  id: "hooks.handle",
  route: "POST /hooks/{workspace}/{moduleKey}/{name}",
  summary: "Have an artifact handle a request from outside",
  description:
    "The artifact is an active `webhook_handler` of that module and name. Its input is " +
    "`{ body, rawBody, headers, query, method }`, and it has the permissions of who saved it last. " +
    "What it returns is the answer: `{ status, headers, body }`, or any JSON for a 200; nothing is a " +
    "204. Where it aborts, the answer is 400 with its reason; where it fails, 500 and no word of why: " +
    "that is in its executions. An answer sets no cookies.",
  access: "public",
  readsRequest: true,
  longRunning: true,
  params: object({ workspace: line(200), moduleKey: line(100), name: line(200) }),
  query: object({
    environment: Type.Optional(
      Type.Enum(["production", "staging", "development"], {
        description: "Where it runs; `production` unless given",
      }),
    ),
  }),
  response: {
    ...rawResponse<RawResponse>(Type.Unknown(), "What the artifact answers."),
    status: 200,
  },
  emits: [ArtifactExecuted],
  fails: [RateLimited, HandlerFailed, HandlerAborted],
  example: { params: { workspace: "default", moduleKey: "shop", name: "order-placed" } },
  async prepare(platform, { params, query: { environment = "production" } }, caller) {
    const { request, cause } = caller;
    if (!request) throw new Error("A request came without itself.");
    const { partition, artifact } = await handlerOf(platform, params, environment);
    platform.rateLimit.assert(`hook ${artifact.id}`, platform.settings.rateLimit);
    const acting: Caller = await backgroundCaller(platform, artifact, { partition, cause });
    const { execution, returned } = await runInBackground(platform, {
      artifact,
      caller: acting,
      input: inputOf(request),
      triggerType: "webhook",
    });
    return { partition, artifact, execution: withoutCredentials(execution), returned };
  },
  async run(ctx, _input, { partition, artifact, execution, returned }) {
    ctx.switchPartition(partition);
    recordExecution(ctx, artifact, execution);
    const { status, outcome } = execution;
    if (status === "completed") return answerOf(returned);
    if (status !== "aborted") return new Failure(HandlerFailed);
    const detail = outcome.abortReason ?? "";
    return new Failure(HandlerAborted, detail === "" ? {} : { detail });
  },
});

const WORKSPACE = "select key from workspaces where slug = $1";

/** What handles requests there. That there is no workspace, and that it has no such handler, look alike. */
async function handlerOf(
  { db }: Platform,
  address: { readonly workspace: string; readonly moduleKey: string; readonly name: string },
  environment: EnvironmentName,
) {
  const [row] = await db.system<{ readonly key: string }>(WORKSPACE, [address.workspace]);
  if (!row) throw new Failure(NotFound);
  const partition = { workspace: row.key, environment };
  const artifact = await db.read(partition, (tx) =>
    findByName(tx, address.moduleKey, address.name),
  );
  if (artifact?.artifactType !== "webhook_handler" || artifact.status !== "active") {
    throw new Failure(NotFound);
  }
  return { partition, artifact };
}
