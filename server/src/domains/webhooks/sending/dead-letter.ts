import { sql } from "kysely";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { causationOf } from "#kernel/log/event-log.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { DeliveryFailed, WebhookPaused } from "../events.ts";
import * as store from "../store.ts";
import { webhookRef, webhookEventData } from "../webhook.ts";
import { earlierAttemptsSql, type DeliveryResult } from "./attempt-result.ts";
import type { AttemptResult } from "./attempt.ts";
import { FAN_OUT_READER, type PendingDelivery } from "./pending-delivery.ts";

export type PauseReason = "manual" | "failures" | "gone";

/**
 * Pauses an active webhook. It keeps its position: the cursor of the fan-out reader, or its own during a replay.
 * Later events that are being fanned out are not lost, because a replay creates the same deliveries.
 */
export async function pauseWebhook(
  ctx: WriteContext<typeof WebhookPaused>,
  id: string,
  because: PauseReason,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhooks w
       set status = 'paused', paused_because = ${because}, paused_at = ${ctx.now},
           updated_at = ${ctx.now}, revision = w.revision + 1,
           place_epoch = coalesce(w.place_epoch, r.epoch, 0),
           place_xid = coalesce(w.place_xid, r.xid, '0'),
           place_seq = coalesce(w.place_seq, r.seq, 0)
      from (select) one left join readers r on r.name = ${FAN_OUT_READER}
     where w.id = ${id} and w.status = 'active'`.execute(ctx.tx);
  if (numAffectedRows === 0n) return false;
  const webhook = await store.get(ctx.tx, id);
  ctx.emit(WebhookPaused, webhookRef(webhook), webhookEventData(webhook));
  return true;
}

/** This many dead letters in a row pause a webhook. */
const FAILURES_MAX = 5;

/**
 * Marks a delivery as failed after its last attempt. The row, the event and the pause of the webhook commit
 * together.
 */
export async function markDeadLetter(platform: Platform, result: DeliveryResult): Promise<void> {
  const { delivery, attempt, verdict } = result;
  const { workspace, environment } = delivery.event;
  const gone = verdict.kind === "failed" && verdict.gone;
  await runAsSystem(
    platform,
    { workspace, environment },
    causationOf(delivery.event),
    async (ctx) => {
      if (!(await markFailed(ctx, delivery, attempt))) return;
      ctx.emit(DeliveryFailed, { id: delivery.webhookId }, deadLetterData(delivery, attempt));
      const failures = await countFailure(ctx, delivery.webhookId);
      if (!gone && failures < FAILURES_MAX) return;
      // The webhook belongs to all environments, and its events are logged in one of them.
      ctx.switchPartition({ workspace, environment: "production" });
      await pauseWebhook(ctx, delivery.webhookId, gone ? "gone" : "failures");
    },
  );
}

/** False when another process has written this attempt. */
async function markFailed(
  { tx }: WriteContext,
  { webhookId, id, attempts }: PendingDelivery,
  { at, url, status, body, durationMs, error }: AttemptResult,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries d
       set status = 'failed', due_at = null, attempts = d.attempts + 1, url = ${url},
           earlier_attempts = ${sql.raw(earlierAttemptsSql("d"))},
           last_attempt_at = ${at}, last_response_status = ${status}, last_response_body = ${body},
           last_duration_ms = ${durationMs}, last_error = ${error}
     where d.webhook_id = ${webhookId} and d.id = ${id} and d.attempts = ${attempts}`.execute(tx);
  return numAffectedRows > 0n;
}

async function countFailure({ tx }: WriteContext, webhookId: string): Promise<number> {
  const { rows } = await sql<{ consecutive_failures: number }>`
    update webhooks set consecutive_failures = consecutive_failures + 1
     where id = ${webhookId} returning consecutive_failures`.execute(tx);
  return rows[0]?.consecutive_failures ?? 0;
}

function deadLetterData(
  { webhookId, id, event, attempts }: PendingDelivery,
  { status, error }: AttemptResult,
) {
  return {
    webhookId,
    deliveryId: id,
    eventId: event.id,
    eventType: event.type,
    status: "failed" as const,
    attempts: attempts + 1,
    lastResponseStatus: status,
    error,
  };
}
