import type { LogPosition, RecordedEvent } from "#kernel/log/event.ts";
import type { PayloadFormat } from "./payload.ts";
import { deliveryIdOf } from "./subscription.ts";

/** A delivery on its way: what the sender keeps in memory of a row that is not over. */
export interface PendingDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly lane: number;
  readonly format: PayloadFormat;
  readonly event: RecordedEvent;
  /** Attempts so far, and those of them that no longer count. */
  readonly attempts: number;
  readonly attemptsBefore: number;
}

/** What a webhook must say of itself for an event to be handed out to it. */
export interface DeliveryTarget {
  readonly id: string;
  readonly lane: number;
  readonly url: string;
  readonly format: PayloadFormat;
}

/** The first delivery of an event to a webhook. */
export function firstDelivery(to: DeliveryTarget, event: RecordedEvent): PendingDelivery {
  return {
    id: deliveryIdOf(event.position, to.id),
    webhookId: to.id,
    lane: to.lane,
    format: to.format,
    event,
    attempts: 0,
    attemptsBefore: 0,
  };
}

/** The columns by which a row names its event. */
export function placeColumns({ epoch, xid, seq }: LogPosition) {
  return { event_epoch: epoch, event_xid: String(xid), event_seq: seq };
}

/** The reader that hands events out. */
export const FAN_OUT_READER = "webhooks.hand_out";

/** What is raised when deliveries became due that this process does not know of. */
export const DELIVERIES_DUE_SIGNAL = "deliveries";

/** At most this much of an endpoint's answer is kept. */
export const RESPONSE_BYTES_MAX = 64 * 1024;
