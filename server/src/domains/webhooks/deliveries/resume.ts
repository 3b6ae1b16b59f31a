import { sql } from "kysely";
import { eventIdOf, type LogPosition, positionOf } from "#kernel/log/event.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { positionOfTransaction } from "#kernel/log/workspace-log.ts";
import { DELIVERIES_DUE_SIGNAL } from "../sending/pending-delivery.ts";
import { WebhookResumed } from "../events.ts";
import { resumeFromNow } from "../service.ts";
import * as webhooks from "../store.ts";
import { webhookRef, webhookEventData, type Webhook } from "../webhook.ts";
import { replayMissedJob } from "./replay-missed-events.ts";
import { WebhookNotPaused } from "./delivery.ts";

/** Ends a pause: from now, from the start of the pause, or from an event. */
export async function resume(
  ctx: WriteContext<typeof WebhookResumed>,
  id: string,
  from: string,
): Promise<Webhook> {
  const paused = await webhooks.lock(ctx.tx, id);
  ctx.expectRevision(paused.revision);
  if (paused.status !== "paused") throw new Failure(WebhookNotPaused);
  // Deliveries that were due at the pause are due now.
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  if (from === "now") return resumeFromNow(ctx, id);
  const webhook = await webhooks.update(ctx.tx, id, {
    status: "active",
    paused_because: null,
    paused_at: null,
    consecutive_failures: 0,
    updated_at: ctx.now,
    ...(from !== "pausedAt" && columnsOf(await parsePastPosition(ctx, "/from", from))),
  });
  ctx.emit(WebhookResumed, webhookRef(webhook), { ...webhookEventData(webhook), from });
  ctx.enqueue(replayMissedJob, { webhookId: id }, { key: id });
  return webhook;
}

/** Parses the position of a past event, which may have been deleted; throws for a future one. */
export async function parsePastPosition(
  { tx }: ReadContext,
  path: string,
  eventId: string,
): Promise<LogPosition> {
  const position = positionOf(eventId);
  const now = await positionOfTransaction(tx);
  if (!position || eventIdOf(position) > eventIdOf(now)) {
    throw invalidField(path, "is not the id of a past event");
  }
  return position;
}

/** The position before an event: reading from here starts with it. */
export function positionBefore({ epoch, xid, seq }: LogPosition): LogPosition {
  return { epoch, xid, seq: Math.max(seq - 1, 0) };
}

/** The columns of a subscription that starts at an event, even one older than the webhook. */
function columnsOf(position: LogPosition) {
  const { epoch, xid, seq } = positionBefore(position);
  return {
    place_epoch: epoch,
    place_xid: String(xid),
    place_seq: seq,
    since_epoch: epoch,
    since: sql<string>`'1:1:'::pg_snapshot`,
    since_event: eventIdOf(position),
  };
}
