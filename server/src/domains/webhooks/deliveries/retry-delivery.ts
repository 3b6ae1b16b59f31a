import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import { assertCanSend, hiddenEventFailure } from "../audit-access.ts";
import { attemptDelivery, type AttemptResult } from "../sending/attempt.ts";
import { readVisibilityEverywhere } from "../sending/visibility.ts";
import { readTarget } from "../sending/target.ts";
import { workspaceOf } from "../webhook-input.ts";
import { DeliveryRetried } from "../events.ts";
import { shardOf } from "../service.ts";
import * as webhooks from "../store.ts";
import { webhookRef } from "../webhook.ts";
import {
  type Delivery,
  DeliveryChanged,
  DeliveryNotFailed,
  EventPruned,
  deliveryFields,
} from "./delivery.ts";
import * as store from "./store.ts";

/** A failed delivery and the result of one more attempt. */
export interface RetryResult {
  readonly failed: store.StoredDelivery;
  readonly attempt: AttemptResult;
}

/** Retries a failed delivery once, whether or not its webhook is active. */
export async function attemptRetry(
  platform: Platform,
  caller: Caller,
  { id: webhookId, deliveryId }: { readonly id: string; readonly deliveryId: string },
): Promise<RetryResult> {
  const partition = { workspace: workspaceOf(caller), environment: caller.environment };
  const { failed, recorded } = await platform.db.read(partition, async (tx) => {
    const webhook = await webhooks.get(tx, webhookId);
    const delivery = await store.get(tx, webhookId, deliveryId);
    if (delivery.status !== "failed") {
      throw new Failure(DeliveryNotFailed, {
        detail: `The status of this delivery is ${delivery.status}.`,
      });
    }
    const recorded = await findEvent(tx, delivery.position);
    if (!recorded) throw new Failure(EventPruned);
    assertCanSend(caller, webhook, recorded);
    return { failed: delivery, recorded };
  });
  const event = (await readVisibilityEverywhere(platform, [recorded], () => [webhookId]))(
    recorded,
    webhookId,
  );
  if (!event) throw hiddenEventFailure();
  const target = await readTarget(platform, webhookId);
  if (!target) throw new Failure(NotFound);
  const { attempts, format } = failed;
  const shard = shardOf(webhookId);
  const pending = { id: deliveryId, webhookId, shard, format, event, attempts };
  const attempt = await attemptDelivery(
    platform,
    target,
    { ...pending, attemptsBefore: attempts },
    platform.shutdown,
  );
  return { failed, attempt };
}

/** Saves the result. A success resets the failure count, and a failure does not increase it. */
export async function recordRetry(
  ctx: WriteContext<typeof DeliveryRetried>,
  { failed, attempt }: RetryResult,
): Promise<Delivery> {
  const webhook = await webhooks.lock(ctx.tx, failed.webhookId);
  const current = await store.lock(ctx.tx, failed.webhookId, failed.id);
  if (current.status !== "failed" || current.attempts !== failed.attempts) {
    throw new Failure(DeliveryChanged);
  }
  const delivery = await store.recordAttempt(ctx.tx, failed, attempt);
  if (delivery.status === "succeeded") await webhooks.resetFailures(ctx.tx, webhook.id);
  ctx.emit(DeliveryRetried, webhookRef(webhook), deliveryFields(delivery));
  return delivery;
}
