import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { RECOVERY_CHOICES } from "./recovery/recovery.ts";
import { WebhookData } from "./webhook.ts";

const resource = "webhook";

export const WebhookCreated = event("webhook.created", {
  resource,
  summary: "A webhook was created.",
  data: WebhookData,
});

export const WebhookUpdated = changeEvent("webhook.updated", {
  resource,
  summary:
    "A webhook was updated. `changes` contains `secret` and `headers` also if only hidden values changed.",
  data: WebhookData,
});

export const WebhookDeleted = event("webhook.deleted", {
  resource,
  summary: "A webhook and its deliveries were deleted.",
  data: WebhookData,
});

export const WebhookPaused = event("webhook.paused", {
  resource,
  summary: "A webhook was paused: manually, after failures, or because the endpoint returned 410.",
  data: WebhookData,
});

export const WebhookResumed = event("webhook.resumed", {
  resource,
  summary: "A paused webhook was resumed.",
  data: Type.Object({
    ...WebhookData.properties,
    from: Type.String({ description: "`now`, `pausedAt`, or the id of an event" }),
  }),
});

export const WebhookTested = event("webhook.tested", {
  resource,
  summary: "A test ping was sent. The status is 0 without a response.",
  data: Type.Object({
    status: Type.Integer(),
    latencyMs: Type.Integer(),
    error: Type.Optional(Type.String()),
  }),
});

export const WebhookSecretRotated = event("webhook.secret_rotated", {
  resource,
  summary:
    "The signing secret of a webhook was rotated. The previous secret also signs for a transition period.",
  data: WebhookData,
});

const delivery = {
  webhookId: Type.String(),
  deliveryId: Type.String(),
  eventId: Type.String(),
  eventType: Type.String(),
  status: Type.String(),
  attempts: Type.Integer(),
  lastResponseStatus: nullable(Type.Integer()),
  error: nullable(Type.String()),
};

export const DeliveryFailed = event("webhook.delivery_failed", {
  resource,
  summary: "All attempts of a delivery failed.",
  data: Type.Object(delivery),
});

export const DeliveryRetried = event("webhook.delivery_retried", {
  resource,
  summary: "A failed delivery was retried.",
  data: Type.Object(delivery),
});

export const DeliveryReplayed = event("webhook.delivery_replayed", {
  resource,
  summary: "An event is redelivered as a new delivery.",
  data: Type.Object({ ...delivery, replayOf: Type.String() }),
});

const recovery = {
  webhookId: Type.String(),
  since: Type.String({ description: "Time or event id" }),
};

export const RecoveryRequested = event("webhook.recovery_requested", {
  resource,
  summary: "The recovery of missed deliveries started.",
  data: Type.Object({
    ...recovery,
    recoveryId: Type.Optional(Type.String()),
    until: Type.Optional(Type.String()),
    only: Type.Optional(Type.Enum([...RECOVERY_CHOICES])),
  }),
});

export const WebhookRecovered = event("webhook.recovered", {
  resource,
  summary: "The recovery of missed deliveries was prepared; they are being delivered.",
  data: Type.Object({
    ...recovery,
    recoveryId: Type.String(),
    checked: Type.Integer({ description: "Number of examined events" }),
    matched: Type.Integer({ description: "Number of matching events" }),
    created: Type.Integer({ description: "Number of events without a delivery" }),
    retried: Type.Integer({ description: "Number of failed deliveries" }),
  }),
});
