import { requireRights, type Rights } from "#domains/identity/accounts/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/partition.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { type SpanDescription, traceWork } from "#kernel/telemetry/span.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import { type DeliveryBody, buildPayload } from "./payload.ts";
import { signatureHeaders } from "./signature.ts";
import type { Target } from "./target.ts";
import { RESPONSE_BYTES_MAX } from "./pending-delivery.ts";

const USER_AGENT = "Millrace-Webhooks/1";

/** The result of one attempt. */
export interface AttemptResult {
  readonly at: Date;
  readonly url: string;
  /** Absent when there was no answer. */
  readonly status: number | null;
  readonly body: string | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly retryAfter: string | undefined;
}

/** Sends a delivery once. An error is part of the result, never thrown. */
export function attemptDelivery(
  platform: Platform,
  target: Target,
  delivery: PendingDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  return traceWork(
    () => describeDelivery(delivery),
    () => postDelivery(platform, target, delivery, signal),
    ({ status }) => ({ error: status === null ? "no_answer" : undefined }),
  );
}

function describeDelivery({ id, event }: PendingDelivery): SpanDescription {
  return {
    name: `delivery ${event.type}`,
    kind: "internal",
    attributes: { "millrace.delivery": id, "millrace.event.type": event.type },
    correlationId: event.correlationId,
  };
}

async function postDelivery(
  platform: Platform,
  target: Target,
  delivery: PendingDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const at = platform.clock.now();
  const { url } = target;
  const body = buildPayload(delivery, delivery.event);
  const startedAt = performance.now();
  let secretScrubber: Scrubber | undefined;
  const scrub = (text: string): string =>
    target.scrubber.scrub(secretScrubber?.scrub(text) ?? text);
  try {
    if (target.error !== undefined) throw target.error;
    const saver = await requireRights(platform, target.workspace, target.authority);
    const custom = await resolveHeaders(platform, target, {
      saver,
      environment: delivery.event.environment,
    });
    secretScrubber = custom.scrubber;
    const response = await platform.outbound.request({
      method: "POST",
      url,
      headers: addStandardHeaders(
        custom.headers,
        buildDeliveryHeaders(target, delivery, { body, at }),
      ),
      body: body.text,
      timeoutMs: target.timeoutMs,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      signal,
    });
    return {
      at,
      url,
      status: response.status,
      body: scrub(textOf(response.body)),
      durationMs: Math.round(response.durationMs),
      error: null,
      retryAfter: response.headers["retry-after"],
    };
  } catch (error) {
    return {
      at,
      url,
      status: null,
      body: null,
      durationMs: Math.round(performance.now() - startedAt),
      error: scrub(describeError(platform, delivery, error)),
      retryAfter: undefined,
    };
  }
}

/** Builds the standard headers of a delivery, including its signatures. */
export function buildDeliveryHeaders(
  target: Pick<Target, "secrets" | "secretsUntilMs">,
  delivery: { readonly id: string; readonly event: { readonly type: string } },
  message: { readonly body: DeliveryBody; readonly at: Date },
): Readonly<Record<string, string>> {
  const { secrets, secretsUntilMs } = target;
  const signing = message.at.getTime() < secretsUntilMs ? secrets : secrets.slice(0, 1);
  return {
    "content-type": message.body.contentType,
    "X-Service-Delivery": delivery.id,
    "X-Service-Event": delivery.event.type,
    ...signatureHeaders({ id: delivery.id, at: message.at, body: message.body.text }, signing),
  };
}

/** Adds the standard headers, of which a webhook may replace `user-agent` only. */
export function addStandardHeaders(
  custom: Readonly<Record<string, string>>,
  standard: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const named = Object.keys(custom).some((name) => name.toLowerCase() === "user-agent");
  return { ...(!named && { "user-agent": USER_AGENT }), ...custom, ...standard };
}

/**
 * Resolves the secrets in the webhook's own headers as late as possible, with the values of the event's
 * environment.
 */
async function resolveHeaders(
  { secrets }: Platform,
  { headers, hasReferences, workspace }: Target,
  { saver, environment }: { readonly saver: Rights; readonly environment: EnvironmentName },
) {
  if (!hasReferences) return { headers, scrubber: undefined };
  const resolved = await secrets.resolve({ workspace, environment }, headers, async () => saver);
  return { headers: resolved.value, scrubber: resolved.scrubber };
}

/** Replaces NUL, which PostgreSQL does not store in text. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString().replaceAll("\u0000", "\uFFFD");
}

/** Returns errors of the endpoint and of the webhook; any other is a bug, and is only logged. */
function describeError({ log }: Platform, { id }: PendingDelivery, error: unknown): string {
  if (error instanceof OutboundFailed || error instanceof OutboundRefused) return error.message;
  if (error instanceof Failure) return error.message;
  log.error({ err: error, delivery: id }, "a delivery attempt failed because of an internal error");
  return "The delivery attempt failed because of an internal error.";
}
