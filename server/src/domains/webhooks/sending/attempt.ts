import type { Platform } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import { type DeliveryBody, buildPayload } from "./payload.ts";
import { signatureHeaders } from "./signature.ts";
import type { Target } from "./target.ts";
import { RESPONSE_BYTES_MAX } from "./pending-delivery.ts";

const USER_AGENT = "Millrace-Webhooks/1";

/** How one attempt went. */
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

/** Posts a delivery once. Whatever goes wrong is an outcome, never a throw. */
export async function attemptDelivery(
  platform: Platform,
  target: Target,
  delivery: PendingDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const at = platform.clock.now();
  const { url } = target;
  const body = buildPayload(delivery, delivery.event);
  const startedAt = performance.now();
  let used: Scrubber | undefined;
  const scrub = (text: string): string => target.scrubber.scrub(used?.scrub(text) ?? text);
  try {
    if (target.broken !== undefined) throw target.broken;
    const own = await headersOf(platform, target);
    used = own.scrubber;
    const response = await platform.outbound.request({
      method: "POST",
      url,
      headers: addStandardHeaders(own.headers, headersFor(target, delivery, { body, at })),
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
      error: scrub(wordsOf(platform, delivery, error)),
      retryAfter: undefined,
    };
  }
}

/** The headers of ours that go with a delivery. */
export function headersFor(
  target: Pick<Target, "secrets" | "secretsUntilMs">,
  delivery: { readonly id: string; readonly event: { readonly type: string } },
  sent: { readonly body: DeliveryBody; readonly at: Date },
): Readonly<Record<string, string>> {
  const { secrets, secretsUntilMs } = target;
  const signing = sent.at.getTime() < secretsUntilMs ? secrets : secrets.slice(0, 1);
  return {
    "content-type": sent.body.contentType,
    "X-Service-Delivery": delivery.id,
    "X-Service-Event": delivery.event.type,
    ...signatureHeaders({ id: delivery.id, at: sent.at, body: sent.body.text }, signing),
  };
}

/** A webhook may call itself by another name; everything else of ours stands. */
export function addStandardHeaders(
  own: Readonly<Record<string, string>>,
  ours: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const named = Object.keys(own).some((name) => name.toLowerCase() === "user-agent");
  return { ...(!named && { "user-agent": USER_AGENT }), ...own, ...ours };
}

/** The webhook's own headers, with its secrets put in at the last moment. */
async function headersOf({ secrets }: Platform, { headers, refers, workspace }: Target) {
  if (!refers) return { headers, scrubber: undefined };
  const resolved = await secrets.resolve(workspace, headers);
  return { headers: resolved.value, scrubber: resolved.scrubber };
}

/** PostgreSQL keeps no NUL. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString().replaceAll("\u0000", "\uFFFD");
}

/** Whatever is not the endpoint's fault or the webhook's is ours: told in the log, and nowhere else. */
function wordsOf({ log }: Platform, { id }: PendingDelivery, error: unknown): string {
  if (error instanceof OutboundFailed || error instanceof OutboundRefused) return error.message;
  if (error instanceof Failure) return error.message;
  log.error({ err: error, delivery: id }, "an attempt broke");
  return "The attempt could not be made.";
}
