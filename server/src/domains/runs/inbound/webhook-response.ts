import { type FileHandle, openPartitionFile, wholeFileHeaders } from "#domains/files/index.ts";
import type { ExecutionPlan, StepRecord } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { RawResponse } from "#kernel/operation/response.ts";
import type { AnyFoundTrigger } from "./hook-trigger.ts";

/** The response in the output of a respond step or a webhook handler. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Replaces the body. */
  readonly file?: FileHandle;
}

/** A file response; the file is not open yet. */
export interface FileResponse extends RawResponse {
  readonly file: FileHandle;
}

/** The response of a run, once a respond step has completed. */
export function toWebhookResponse(
  plan: ExecutionPlan,
  steps: ReadonlyMap<string, StepRecord>,
): RawResponse | FileResponse | undefined {
  const answering = findAnswering(plan, steps);
  // These step types always have this output.
  return answering && toRawResponse(answering.output as Response);
}

/** The step that responded. */
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

/** Sanitises the response: drops headers that its author must not set. */
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

/** Opens the file of a response. The read permission was checked when the run responded. */
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
  // The author of the workflow controls neither the content type nor whether a browser shows the file.
  return {
    status,
    body: undefined,
    headers: { ...headers, ...wholeFileHeaders(file) },
    stream: read(),
  };
}

const WITHOUT_BODY = new Set([204, 205, 304]);

/** HTML responses get an opaque origin. They can't run scripts or send requests. */
const SANDBOX =
  "default-src 'none'; sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Headers that a workflow must not set. Its response has the origin of the console and portal, so it must not set
 * cookies, redirect automatically, allow other origins, disable browser protections or control the connection.
 */
const FORBIDDEN_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date|set-cookie2?|clear-site-data|content-security-policy.*|strict-transport-security|x-content-type-options|x-frame-options|x-request-id|service-worker-allowed|alt-svc|nel|report-to|reporting-endpoints|origin-agent-cluster|refresh|link|access-control-.*|cross-origin-.*)$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function isAllowedHeader(name: string, value: string): boolean {
  return NAME.test(name) && VALUE.test(value) && !FORBIDDEN_HEADERS.test(name);
}
