import { type FileHandle, openPartitionFile, wholeFileHeaders } from "#domains/files/index.ts";
import type { ExecutionPlan, StepRecord } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { RawResponse } from "#kernel/operation/response.ts";
import type { AnyFoundTrigger } from "./hook-trigger.ts";

/** The response in the output of a respond step, or of a script that answers requests. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** In the place of a body. */
  readonly file?: FileHandle;
}

/** A response whose content is a file, which is still to be opened. */
export interface FileResponse extends RawResponse {
  readonly file: FileHandle;
}

/** The response of a run, once a respond step has completed. */
export function toWebhookResponse(
  plan: ExecutionPlan,
  steps: ReadonlyMap<string, StepRecord>,
): RawResponse | FileResponse | undefined {
  const answering = findAnswering(plan, steps);
  // Steps that answer have no other output.
  return answering && toRawResponse(answering.output as Response);
}

/** The step that has answered. */
export function findAnswering<T extends StepRecord>(
  { graph }: ExecutionPlan,
  steps: ReadonlyMap<string, T>,
): T | undefined {
  const node = graph.nodes.find(
    ({ id, type }) => type.answers === true && steps.get(id)?.status === "completed",
  );
  return node && steps.get(node.id);
}

const TEXT = "text/plain; charset=utf-8";
const JSON_TEXT = "application/json; charset=utf-8";

/** Sanitizes the response: drops headers that are not for its author to set. */
export function toRawResponse({
  status,
  headers,
  body,
  file,
}: Response): RawResponse | FileResponse {
  const safe = Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => isAllowedHeader(name, value)),
  );
  const sandboxed = { ...safe, "content-security-policy": SANDBOX };
  if (file && !WITHOUT_BODY.has(status)) {
    return { status, headers: safe, body: undefined, file };
  }
  if (body === null || WITHOUT_BODY.has(status)) {
    return { status, headers: sandboxed, body: undefined };
  }
  const isText = typeof body === "string";
  return {
    status,
    headers: { "content-type": isText ? TEXT : JSON_TEXT, ...sandboxed },
    body: isText ? body : JSON.stringify(body),
  };
}

/** Opens the file of a response, which the run was allowed to read when it answered; others stay as they are. */
export async function openResponse(
  platform: Platform,
  { target: { workspace }, environment }: AnyFoundTrigger,
  response: RawResponse | FileResponse,
): Promise<RawResponse> {
  if (!("file" in response)) return response;
  const { status, headers, file: handle } = response;
  const { file, read } = await openPartitionFile(
    platform,
    { workspace, environment },
    handle.$file,
  );
  // The author does not say what the file is, nor whether a browser may show it.
  return {
    status,
    body: undefined,
    headers: { ...headers, ...wholeFileHeaders(file) },
    stream: read(),
  };
}

const WITHOUT_BODY = new Set([204, 205, 304]);

/** A page of it has an origin of its own, runs nothing, and sends nothing anywhere. */
const SANDBOX =
  "default-src 'none'; sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/**
 * The headers that a workflow must not set. Its response comes from the origin where people log in:
 * it sets no cookies, leads nobody elsewhere by itself, opens nothing to other origins, lifts no
 * protection of the browser, and does not control the connection.
 */
const FORBIDDEN_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date|set-cookie2?|clear-site-data|content-security-policy.*|strict-transport-security|x-content-type-options|x-frame-options|x-request-id|service-worker-allowed|alt-svc|nel|report-to|reporting-endpoints|origin-agent-cluster|refresh|link|access-control-.*|cross-origin-.*)$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function isAllowedHeader(name: string, value: string): boolean {
  return NAME.test(name) && VALUE.test(value) && !FORBIDDEN_HEADERS.test(name);
}
