import Type, { type Static } from "typebox";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { DELIVERY_ID_PATTERN } from "../sending/subscription.ts";
import { WebhookId } from "../webhook.ts";

export const DeliveryId = Type.String({ pattern: DELIVERY_ID_PATTERN });

export const DeliveryStatus = Type.Enum(["pending", "retrying", "succeeded", "failed"], {
  description:
    "`pending` before the first attempt, `retrying` while there is another to come, `succeeded` after " +
    "an answer of 2xx, `failed` when every attempt failed",
});
export type DeliveryStatus = Static<typeof DeliveryStatus>;

const fields = {
  id: DeliveryId,
  webhookId: WebhookId,
  eventId: Type.String({ pattern: EVENT_ID_PATTERN }),
  eventType: Type.String(),
  url: Type.String(),
  status: DeliveryStatus,
  attempts: Type.Integer({ description: "How many there were" }),
  lastAttemptAt: nullable(Time),
  lastResponseStatus: nullable(Type.Integer({ description: "Null when no answer came" })),
  lastResponseBody: nullable(Type.String({ description: "At most 64 KiB of it" })),
  lastDurationMs: nullable(Type.Integer()),
  lastError: nullable(Type.String({ description: "Why no answer came" })),
  nextAttemptAt: nullable(Time),
  replayOf: nullable(Type.String({ description: "The delivery that this one repeats" })),
  createdAt: Time,
};

/** One event for one webhook, as lists show it. */
export const Delivery = Type.Object(fields, { title: "WebhookDelivery" });
export type Delivery = Static<typeof Delivery>;

const Attempt = Type.Object(
  {
    number: Type.Integer(),
    at: Time,
    status: nullable(Type.Integer()),
    durationMs: nullable(Type.Integer()),
    error: nullable(Type.String()),
    body: nullable(Type.String({ description: "Of earlier attempts the first 4096 characters" })),
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
          "As they were sent last, or would be; what comes from a secret is `***`, and signatures are " +
          "made with the present secrets",
      }),
      body: nullable(
        Type.String({
          description:
            "The exact text; null when the event is no longer kept, and without `audit:read` when it " +
            "is one of the audit log",
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
  "Only a delivery that has failed can be retried.",
);
export const DeliveryChanged = failure(
  "delivery_changed",
  409,
  "The delivery was attempted or changed by somebody else meanwhile.",
);
export const WebhookNotPaused = failure("webhook_not_paused", 409, "The webhook is not paused.");
export const EventPruned = failure(
  "event_pruned",
  409,
  "The event of this delivery is no longer kept.",
);

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
