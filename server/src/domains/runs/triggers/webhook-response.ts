import type { ExecutionPlan, StepRecord } from "#domains/workflows/index.ts";
import type { RawResponse } from "#kernel/operation/response.ts";

/** What a respond step says, or a script that answers requests. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The answer that a workflow gives itself, once a respond step of it has run. */
export function toWebhookResponse(
  { graph }: ExecutionPlan,
  steps: ReadonlyMap<string, StepRecord>,
): RawResponse | undefined {
  const node = graph.nodes.find(
    ({ id, type }) => type.answers === true && steps.get(id)?.status === "completed",
  );
  // Such a step has no other output.
  return node && toRawResponse(steps.get(node.id)?.output as Response);
}

const TEXT = "text/plain; charset=utf-8";
const JSON_TEXT = "application/json; charset=utf-8";

/** An answer with nothing in it that is not for its author to say. */
export function toRawResponse({ status, headers, body }: Response): RawResponse {
  const safe = Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => isSafe(name, value)),
  );
  if (body === null || WITHOUT_BODY.has(status)) return { status, headers: safe, body: undefined };
  const isText = typeof body === "string";
  return {
    status,
    headers: { "content-type": isText ? TEXT : JSON_TEXT, ...safe },
    body: isText ? body : JSON.stringify(body),
  };
}

const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * The answer comes from our own address, where people log in: it sets no cookies, and lifts nothing
 * that keeps a browser from running what is in it. How the connection is used is not its affair.
 */
const OURS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date|set-cookie2?|clear-site-data|content-security-policy.*|strict-transport-security|x-content-type-options|x-frame-options|x-request-id|service-worker-allowed|alt-svc|nel|report-to|reporting-endpoints|origin-agent-cluster)$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function isSafe(name: string, value: string): boolean {
  return NAME.test(name) && VALUE.test(value) && !OURS.test(name);
}
