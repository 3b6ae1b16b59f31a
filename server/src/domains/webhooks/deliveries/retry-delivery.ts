import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import { assertCanSend, hiddenSources } from "../audit-access.ts";
import { attemptDelivery, type AttemptResult } from "../sending/attempt.ts";
import { visibilityEverywhere } from "../sending/visibility.ts";
import { readTarget } from "../sending/target.ts";
import { workspaceOf } from "../webhook-input.ts";
import { DeliveryRetried } from "../events.ts";
import { laneOf } from "../service.ts";
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

/** A delivery that had failed, and how one more attempt of it went. */
export interface Retried {
  readonly failed: store.Stored;
  readonly attempted: AttemptResult;
}

/** Attempts a failed delivery once more, whether or not its webhook is active. */
export async function attemptRetry(
  platform: Platform,
  caller: Caller,
  { id: webhookId, deliveryId }: { readonly id: string; readonly deliveryId: string },
): Promise<Retried> {
  const partition = { workspace: workspaceOf(caller), environment: caller.environment };
  const { failed, told } = await platform.db.read(partition, async (tx) => {
    const webhook = await webhooks.get(tx, webhookId);
    const delivery = await store.get(tx, webhookId, deliveryId);
    if (delivery.status !== "failed") {
      throw new Failure(DeliveryNotFailed, { detail: `This delivery is ${delivery.status}.` });
    }
    const found = await findEvent(tx, delivery.place);
    if (!found) throw new Failure(EventPruned);
    assertCanSend(caller, webhook, found);
    return { failed: delivery, told: found };
  });
  const event = (await visibilityEverywhere(platform, [told], () => [webhookId]))(told, webhookId);
  if (!event) throw hiddenSources();
  const target = await readTarget(platform, webhookId);
  if (!target) throw new Failure(NotFound);
  const { attempts, format } = failed;
  const lane = laneOf(webhookId);
  const outgoing = { id: deliveryId, webhookId, lane, format, event, attempts };
  const attempted = await attemptDelivery(
    platform,
    target,
    { ...outgoing, attemptsBefore: attempts },
    platform.shutdown,
  );
  return { failed, attempted };
}

/** Writes how it went. A success ends a series of failures, and a failure does not count. */
export async function recordRetry(
  ctx: WriteContext<typeof DeliveryRetried>,
  { failed, attempted }: Retried,
): Promise<Delivery> {
  const webhook = await webhooks.lock(ctx.tx, failed.webhookId);
  const now = await store.lock(ctx.tx, failed.webhookId, failed.id);
  if (now.status !== "failed" || now.attempts !== failed.attempts) {
    throw new Failure(DeliveryChanged);
  }
  const delivery = await store.recordAttempt(ctx.tx, failed, attempted);
  if (delivery.status === "succeeded") await webhooks.forgetFailures(ctx.tx, webhook.id);
  ctx.emit(DeliveryRetried, webhookRef(webhook), deliveryFields(delivery));
  return delivery;
}
