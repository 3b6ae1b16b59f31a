import type { Tx } from "#kernel/db/connection.ts";
import { eventIdOf } from "#kernel/event.ts";
import { Failure } from "#kernel/failure.ts";
import { newId } from "#kernel/id.ts";
import { findEvent } from "#kernel/log.ts";
import type { ReadContext, WriteContext } from "#kernel/operation.ts";
import { placeOfTransaction } from "#kernel/workspace-log.ts";
import { deliveryIdOf } from "../delivery/hearing.ts";
import { WORK } from "../delivery/work.ts";
import { DeliveryReplayed, DeliveryRetried } from "../events.ts";
import * as webhooks from "../store.ts";
import { referTo, type Webhook } from "../webhook.ts";
import { type Delivery, DeliveryNotFailed, EventPruned, WebhookIsPaused } from "./delivery.ts";
import * as store from "./store.ts";

/** Has a failed delivery attempted once more, at once. */
export async function retry(
  ctx: WriteContext<typeof DeliveryRetried>,
  webhookId: string,
  id: string,
): Promise<Delivery> {
  const webhook = await activeWebhook(ctx.tx, webhookId, id);
  const failed = await store.lock(ctx.tx, webhookId, id);
  if (failed.status !== "failed") {
    throw new Failure(DeliveryNotFailed, { detail: `This delivery is ${failed.status}.` });
  }
  await assertEventKept(ctx.tx, failed);
  const delivery = await store.retryByHand(ctx.tx, failed, { url: webhook.url, now: ctx.now });
  ctx.emit(DeliveryRetried, referTo(webhook), factsOf(delivery));
  ctx.onCommit(() => ctx.services.signal.raise(WORK));
  return delivery;
}

/** Has the event of a delivery delivered once more, whatever became of the first delivery. */
export async function replay(
  ctx: WriteContext<typeof DeliveryReplayed>,
  webhookId: string,
  id: string,
): Promise<Delivery> {
  const webhook = await activeWebhook(ctx.tx, webhookId, id);
  const first = await store.get(ctx.tx, webhookId, id);
  await assertEventKept(ctx.tx, first);
  const delivery = await store.insertReplay(ctx.tx, first, {
    id: await newDeliveryId(ctx),
    url: webhook.url,
    format: webhook.format,
    now: ctx.now,
  });
  const facts = { ...factsOf(delivery), replayOf: first.id };
  ctx.emit(DeliveryReplayed, referTo(webhook), facts);
  ctx.onCommit(() => ctx.services.signal.raise(WORK));
  return delivery;
}

/** The webhook, locked against a pause: nothing is to become due that would then wait unseen. */
async function activeWebhook(tx: Tx, webhookId: string, deliveryId: string): Promise<Webhook> {
  const webhook = await webhooks.lock(tx, webhookId);
  // One that does not exist is not found, whatever the webhook's state.
  await store.get(tx, webhookId, deliveryId);
  if (webhook.status === "paused") throw new Failure(WebhookIsPaused);
  return webhook;
}

async function assertEventKept(tx: Tx, { place }: store.Stored): Promise<void> {
  if (!(await findEvent(tx, place))) throw new Failure(EventPruned);
}

/** Sorts behind the deliveries of all events so far, and follows from nothing. */
async function newDeliveryId({ tx, services }: ReadContext): Promise<string> {
  return deliveryIdOf(await placeOfTransaction(tx, services.epoch), newId("dlv"));
}

function factsOf(delivery: store.Stored) {
  return {
    webhookId: delivery.webhookId,
    deliveryId: delivery.id,
    eventId: eventIdOf(delivery.place),
    eventType: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    lastResponseStatus: delivery.lastResponseStatus,
    error: delivery.lastError,
  };
}
