import { findRights } from "#domains/identity/accounts/index.ts";
import { isAddressed } from "./address.ts";
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
const RESPONSE_MEMBERS = ["status", "headers", "body"];

/**
 * Converts a script's result to a response: `{ status, headers, body }` with at least a status, or any
 * other value as the body of a 200. Null and undefined are a 204.
 */
function toResponse(returned: unknown): RawResponse {
  return toRawResponse(
    isScriptResponse(returned)
      ? {
          status: returned.status,
          headers: toHeaderTexts(returned.headers),
          body: returned.body ?? null,
        }
      : {
          status: returned === null || returned === undefined ? 204 : 200,
          headers: {},
          body: returned ?? null,
        },
  );
}

function isScriptResponse(
  value: unknown,
): value is Pick<Response, "status"> & { readonly headers?: unknown; readonly body?: unknown } {
  if (typeof value !== "object" || value === null || !("status" in value)) return false;
  const { status } = value;
  const known = Object.keys(value).every((name) => RESPONSE_MEMBERS.includes(name));
  return (
    known &&
    Number.isInteger(status) &&
    Number(status) >= STATUS_MIN &&
    Number(status) <= STATUS_MAX
  );
}

function toHeaderTexts(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Millrace's own credentials, sessions and tokens, which scripts must never see. */
const OWN_TOKEN = /^bearer\s+mr[a-z]?_/i;
/** Credentials of the sender: the script can read them, but they are not stored. */
const CREDENTIALS: readonly string[] = ["authorization", "proxy-authorization"];
const MASK = "[hidden]";

/** The input of the script. `rawBody` is the original text of the body, for signatures. */
function toScriptInput({ bytes, mediaType, headers, query }: RawRequest) {
  const forwarded = Object.entries(headers).filter(
    ([name, value]) => name !== "cookie" && !(CREDENTIALS.includes(name) && OWN_TOKEN.test(value)),
  );
  return {
    body: parseAnyBody(bytes, mediaType),
    rawBody: bytes.toString("utf8"),
    headers: Object.fromEntries(forwarded),
    query,
    method: "POST",
  };
}

/** Masks the request's credentials in an execution before it is stored. */
function maskCredentials(execution: Execution): Execution {
  const { current: input } = execution.outcome;
  const headers: unknown = Object(input)["headers"];
  if (typeof headers !== "object" || headers === null) return execution;
  const masked = Object.entries(headers).map(([name, value]: [string, unknown]) => [
    name,
    CREDENTIALS.includes(name) ? MASK : value,
  ]);
  const current = { ...Object(input), headers: Object.fromEntries(masked) };
  return { ...execution, outcome: { ...execution.outcome, current } };
}

const HandlerFailed = failure("handler_failed", 500, "The request could not be processed.");
const HandlerAborted = failure("handler_aborted", 400, "The request was not accepted.");

export const handleRequest = command({
  id: "hooks.handle",
  route: "POST /hooks/{workspace}/{moduleKey}/{name}",
  aliases: ["POST /hooks/{workspace}/{moduleKey}/{name}/{token}"],
  summary: "Send a request to a webhook handler",
  description:
    "Runs the active `webhook_handler` artifact of this module and name. Its `url` contains the `token`, which is required unless the artifact has `openAddress`. The input is `{ body, rawBody, headers, query, method }`, and the artifact runs with the permissions of the member in `savedBy`. The return value is the response: `{ status, headers, body }`, or any JSON for a 200; no value is a 204. If the script aborts, the response is 400 with the reason; if it fails, 500 without details, which are in its executions. Responses set no cookies and no CORS headers; browsers show HTML in a sandbox.",
  access: "public",
  readsRequest: true,
  longRunning: true,
  params: object({
    workspace: line(200),
    moduleKey: line(100),
    name: line(200),
    token: Type.Optional(line(200)),
  }),
  query: object({
    environment: Type.Optional(
      Type.Enum(["production", "staging", "development"], {
        description: "Environment. Default: `production`",
      }),
    ),
  }),
  response: {
    ...rawResponse<RawResponse>(Type.Unknown(), "Response of the artifact."),
    status: 200,
  },
  emits: [ArtifactExecuted],
  fails: [RateLimited, HandlerFailed, HandlerAborted],
  example: { params: { workspace: "default", moduleKey: "shop", name: "order-placed" } },
  async prepare(platform, { params, query: { environment = "production" } }, caller) {
    const { request, cause } = caller;
    if (!request) throw new Error("A request came without itself.");
    const { partition, artifact } = await getHandler(platform, params, environment);
    platform.rateLimit.assert(`hook ${artifact.id}`, platform.settings.rateLimit);
    const handlerCaller: Caller = await backgroundCaller(platform, artifact, { partition, cause });
    const { execution, returned } = await runInBackground(platform, {
      artifact,
      caller: handlerCaller,
      input: toScriptInput(request),
      triggerType: "webhook",
    });
    return { partition, artifact, execution: maskCredentials(execution), returned };
  },
  async run(ctx, _input, { partition, artifact, execution, returned }) {
    ctx.switchPartition(partition);
    const { cause } = ctx.caller;
    recordExecution(ctx, artifact, execution, { runAs: artifact.runAs, cause });
    const { status, outcome } = execution;
    if (status === "completed") return toResponse(returned);
    if (status !== "aborted") return new Failure(HandlerFailed);
    const detail = outcome.abortReason ?? "";
    return new Failure(HandlerAborted, detail === "" ? {} : { detail });
  },
});

const FIND_WORKSPACE = "select key from workspaces where slug = $1";

/** Finds the handler of an address. Unknown workspaces, handlers and secrets give the same error. */
async function getHandler(
  platform: Platform,
  address: {
    readonly workspace: string;
    readonly moduleKey: string;
    readonly name: string;
    readonly token?: string;
  },
  environment: EnvironmentName,
) {
  const { db } = platform;
  const [row] = await db.system<{ readonly key: string }>(FIND_WORKSPACE, [address.workspace]);
  if (!row) throw new Failure(NotFound);
  const partition = { workspace: row.key, environment };
  const artifact = await db.read(partition, (tx) =>
    findByName(tx, address.moduleKey, address.name),
  );
  if (artifact?.artifactType !== "webhook_handler" || artifact.status !== "active") {
    throw new Failure(NotFound);
  }
  if (!isAddressed(artifact, address.token)) throw new Failure(NotFound);
  // A handler does not run after the member has left.
  if (!(await findRights(platform, row.key, artifact))) throw new Failure(NotFound);
  return { partition, artifact };
}
