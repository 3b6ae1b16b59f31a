import Type, { type Static } from "typebox";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { DELIVERY_ID_PATTERN } from "../sending/subscription.ts";
import { WebhookId } from "../webhook.ts";

export const DeliveryId = Type.String({ pattern: DELIVERY_ID_PATTERN });

export const DeliveryStatus = Type.Enum(["pending", "retrying", "succeeded", "failed"], {
  description:
    "`pending`: before the first attempt. `retrying`: another attempt follows. `succeeded`: response 2xx. `failed`: all attempts failed",
});
export type DeliveryStatus = Static<typeof DeliveryStatus>;

const fields = {
  id: DeliveryId,
  webhookId: WebhookId,
  eventId: Type.String({ pattern: EVENT_ID_PATTERN }),
  eventType: Type.String(),
  url: Type.String(),
  status: DeliveryStatus,
  attempts: Type.Integer({ description: "Number of attempts" }),
  lastAttemptAt: nullable(Time),
  lastResponseStatus: nullable(Type.Integer({ description: "Null without a response" })),
  lastResponseBody: nullable(Type.String({ description: "At most 64 KiB of the response body" })),
  lastDurationMs: nullable(Type.Integer()),
  lastError: nullable(Type.String({ description: "Error if there was no response" })),
  nextAttemptAt: nullable(Time),
  replayOf: nullable(Type.String({ description: "The delivery that this delivery repeats" })),
  createdAt: Time,
};

/** One event for one webhook, as in lists. */
export const Delivery = Type.Object(fields, { title: "WebhookDelivery" });
export type Delivery = Static<typeof Delivery>;

const Attempt = Type.Object(
  {
    number: Type.Integer(),
    at: Time,
    status: nullable(Type.Integer()),
    durationMs: nullable(Type.Integer()),
    error: nullable(Type.String()),
    body: nullable(
      Type.String({ description: "For earlier attempts, the first 4,096 characters" }),
    ),
  },
  { title: "WebhookDeliveryAttempt" },
);
export type Attempt = Static<typeof Attempt>;

/** A delivery with its request and every attempt. */
export const DeliveryDetail = Type.Object(
  {
    ...fields,
    request: Type.Object({
      method: Type.Literal("POST"),
      url: Type.String(),
      headers: Type.Record(Type.String(), Type.String(), {
        description:
          "Headers of the last attempt. Before the first attempt: headers of the next attempt. Values from secrets are `***`, and signatures use the current secrets",
      }),
      body: nullable(
        Type.String({
          description:
            "The exact body. Null if the event was deleted, and for an audit event without `audit:read`",
        }),
      ),
    }),
    response: Type.Object({
      status: nullable(Type.Integer()),
      body: nullable(Type.String()),
      durationMs: nullable(Type.Integer()),
      error: nullable(Type.String()),
    }),
    attemptLog: Type.Array(Attempt),
  },
  { title: "WebhookDeliveryDetail" },
);
export type DeliveryDetail = Static<typeof DeliveryDetail>;

export const DeliveryNotFailed = failure(
  "delivery_not_failed",
  409,
  "Only failed deliveries can be retried.",
);
export const DeliveryChanged = failure(
  "delivery_changed",
  409,
  "Another request attempted or changed the delivery.",
);
export const WebhookNotPaused = failure("webhook_not_paused", 409, "The webhook is not paused.");
export const EventPruned = failure("event_pruned", 409, "The event of this delivery was deleted.");

/** The data of a delivery in events. */
export function deliveryFields(delivery: Delivery) {
  return {
    webhookId: delivery.webhookId,
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    lastResponseStatus: delivery.lastResponseStatus,
    error: delivery.lastError,
  };
}
