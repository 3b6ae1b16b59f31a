import { findRights } from "#domains/identity/accounts/index.ts";
import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { buildDeliveryHeaders, addStandardHeaders } from "./sending/attempt.ts";
import { buildPayload } from "./sending/payload.ts";
import { RESPONSE_BYTES_MAX } from "./sending/pending-delivery.ts";
import { workspaceOf } from "./webhook-input.ts";
import { createScrubber } from "./header.ts";
import { signingSecrets } from "./secret.ts";
import * as store from "./store.ts";
import type { Webhook } from "./webhook.ts";

/** The response to a ping; status 0 if there was none. */
export const PingResult = Type.Object(
  {
    status: Type.Integer(),
    latency_ms: Type.Integer(),
    body: Type.String({ description: "At most 64 KiB of the response body, without secrets" }),
    error: Type.Optional(Type.String()),
  },
  { title: "PingResult" },
);
export type PingResult = Static<typeof PingResult>;

/** The fields of the result are at the top level too. */
export const TestResponse = Type.Object({ data: PingResult, ...PingResult.properties });

const PING_MESSAGE = "This is a test from Millrace.";

/** Sends a ping like a delivery, also for a paused webhook. */
export async function ping(
  platform: Platform,
  caller: Caller,
  id: string,
): Promise<{ readonly webhook: Webhook; readonly result: PingResult }> {
  const workspace = workspaceOf(caller);
  const { webhook, stored } = await platform.db.read(
    { workspace, environment: "production" },
    async (tx) => ({
      webhook: await store.get(tx, id),
      stored: await store.getSecretColumns(tx, id),
    }),
  );
  const { secrets, untilMs } = await signingSecrets(platform, workspace, id, stored);
  const authority = { runAs: stored.saved_by ?? "", permissions: stored.permissions };
  const { value: headers, scrubber } = await platform.secrets.resolve(
    { workspace, environment: caller.environment },
    stored.headers,
    () => findRights(platform, workspace, authority),
  );
  const webhookScrubber = createScrubber(stored.headers, secrets);
  const at = platform.clock.now();
  const event = pingEvent(webhook, caller, at);
  const body = buildPayload({ id: event.id, webhookId: id, format: webhook.format }, event);
  const standard = buildDeliveryHeaders(
    { secrets, secretsUntilMs: untilMs },
    { id: event.id, event },
    { body, at },
  );
  const result = await post(platform, webhook, {
    headers: addStandardHeaders(headers, standard),
    body: body.text,
  });
  return {
    webhook,
    result: scrubResult(result, (text) => webhookScrubber.scrub(scrubber.scrub(text))),
  };
}

async function post(
  { outbound }: Platform,
  { url, timeoutMs }: Webhook,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Promise<PingResult> {
  const startedAt = performance.now();
  try {
    const limits = { timeoutMs, maxResponseBytes: RESPONSE_BYTES_MAX };
    const response = await outbound.request({ method: "POST", url, ...message, ...limits });
    return {
      status: response.status,
      latency_ms: Math.round(response.durationMs),
      body: Buffer.from(response.body).toString(),
    };
  } catch (error) {
    if (!(error instanceof OutboundFailed || error instanceof OutboundRefused)) throw error;
    const latencyMs = Math.round(performance.now() - startedAt);
    return { status: 0, latency_ms: latencyMs, body: "", error: error.message };
  }
}

/** An event that is not in the log, with all fields that a payload needs. */
function pingEvent(webhook: Webhook, caller: Caller, at: Date): RecordedEvent {
  return {
    position: { epoch: 0, xid: 0, seq: 0 },
    transaction: 0,
    id: newId("ping", at.getTime()),
    workspace: workspaceOf(caller),
    environment: caller.environment,
    topic: "webhook",
    type: "webhook.ping",
    actor: caller.actor,
    resource: { type: "webhook", id: webhook.id, number: null, displayName: webhook.name },
    requestId: caller.requestId,
    correlationId: caller.cause.correlationId,
    causationId: null,
    depth: 0,
    createdAt: at.toISOString(),
    data: { message: PING_MESSAGE },
  };
}

function scrubResult(
  { body, error, ...rest }: PingResult,
  scrub: (text: string) => string,
): PingResult {
  return { ...rest, body: scrub(body), ...(error !== undefined && { error: scrub(error) }) };
}
