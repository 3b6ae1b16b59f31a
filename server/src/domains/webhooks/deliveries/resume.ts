import { sql } from "kysely";
import { eventIdOf, type LogPosition, positionOf } from "#kernel/log/event.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { positionOfTransaction } from "#kernel/log/workspace-log.ts";
import { DELIVERIES_DUE_SIGNAL } from "../sending/pending-delivery.ts";
import { WebhookResumed } from "../events.ts";
import { resumeFromNow } from "../service.ts";
import * as webhooks from "../store.ts";
import { webhookRef, toWebhook, type Webhook } from "../webhook.ts";
import { replayMissedJob } from "./replay-missed.ts";
import { WebhookNotPaused } from "./delivery.ts";

/** Ends a pause: from now on, from where it began, or from some event on. */
export async function resume(
  ctx: WriteContext<typeof WebhookResumed>,
  id: string,
  from: string,
): Promise<Webhook> {
  const paused = await webhooks.lock(ctx.tx, id);
  ctx.expectRevision(paused.revision);
  if (paused.status !== "paused") throw new Failure(WebhookNotPaused);
  // What was due when it was paused is due now.
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  if (from === "now") return resumeFromNow(ctx, id);
  const webhook = await webhooks.update(ctx.tx, id, {
    status: "active",
    paused_because: null,
    paused_at: null,
    consecutive_failures: 0,
    updated_at: ctx.now,
    ...(from !== "pausedAt" && columnsOf(await pastPlace(ctx, "/from", from))),
  });
  ctx.emit(WebhookResumed, webhookRef(webhook), { ...toWebhook(webhook), from });
  ctx.enqueue(replayMissedJob, { webhookId: id }, { key: id });
  return webhook;
}

/** Where an event stands, which need not be kept any more; what is yet to come has no place. */
export async function pastPlace(
  { tx, services }: ReadContext,
  path: string,
  eventId: string,
): Promise<LogPosition> {
  const place = positionOf(eventId);
  const now = await positionOfTransaction(tx, services.epoch);
  if (!place || eventIdOf(place) > eventIdOf(now)) {
    throw invalidField(path, "is not the id of a past event");
  }
  return place;
}

/** Right before an event: whoever goes on from here begins with it. */
export function before({ epoch, xid, seq }: LogPosition): LogPosition {
  return { epoch, xid, seq: Math.max(seq - 1, 0) };
}

/** It is asked to hear this event and all behind it, also when it did not exist yet. */
function columnsOf(place: LogPosition) {
  const { epoch, xid, seq } = before(place);
  return {
    place_epoch: epoch,
    place_xid: String(xid),
    place_seq: seq,
    since_epoch: epoch,
    since: sql<string>`'1:1:'::pg_snapshot`,
    since_event: eventIdOf(place),
  };
}
