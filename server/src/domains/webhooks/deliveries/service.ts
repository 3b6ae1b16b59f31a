import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { positionOfTransaction } from "#kernel/log/workspace-log.ts";
import { assertCanSend, hiddenEventFailure } from "../audit-access.ts";
import { buildDeliveryId } from "../sending/subscription.ts";
import { DELIVERIES_DUE_SIGNAL } from "../sending/pending-delivery.ts";
import { DeliveryReplayed } from "../events.ts";
import * as webhooks from "../store.ts";
import { webhookRef } from "../webhook.ts";
import { type Delivery, EventPruned, deliveryFields } from "./delivery.ts";
import { filterVisible } from "./replay-target.ts";
import * as store from "./store.ts";

/**
 * Replays the event of a delivery as a new delivery, whatever the status of the first. For a paused webhook, the
 * new one waits until it is active.
 */
export async function replay(
  ctx: WriteContext<typeof DeliveryReplayed>,
  webhookId: string,
  id: string,
): Promise<Delivery> {
  // The lock prevents a delivery for a webhook that is being deleted.
  const webhook = await webhooks.lock(ctx.tx, webhookId);
  const first = await store.get(ctx.tx, webhookId, id);
  const event = await findEvent(ctx.tx, first.position);
  if (!event) throw new Failure(EventPruned);
  assertCanSend(ctx.caller, webhook, event);
  if ((await filterVisible(ctx, webhook, [event])).length === 0) throw hiddenEventFailure();
  const delivery = await store.insertReplay(ctx.tx, first, {
    id: await newDeliveryId(ctx),
    url: webhook.url,
    format: webhook.format,
    now: ctx.now,
  });
  ctx.emit(DeliveryReplayed, webhookRef(webhook), {
    ...deliveryFields(delivery),
    replayOf: first.id,
  });
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  return delivery;
}

/** An id that sorts after the deliveries of all previous events, and is not derived from an event. */
async function newDeliveryId({ tx }: ReadContext): Promise<string> {
  return buildDeliveryId(await positionOfTransaction(tx), newId("dlv"));
}
