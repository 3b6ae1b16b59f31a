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
    "A webhook was changed. `changes` names `secret` and `headers` too where only what is not shown differs.",
  data: WebhookData,
});

export const WebhookDeleted = event("webhook.deleted", {
  resource,
  summary: "A webhook was deleted, and its deliveries with it.",
  data: WebhookData,
});

export const WebhookPaused = event("webhook.paused", {
  resource,
  summary: "A webhook was paused: by hand, after failures, or since its endpoint is gone.",
  data: WebhookData,
});

export const WebhookResumed = event("webhook.resumed", {
  resource,
  summary: "A paused webhook goes on.",
  data: Type.Object({
    ...WebhookData.properties,
    from: Type.String({ description: "`now`, `pausedAt`, or the id of an event" }),
  }),
});

export const WebhookTested = event("webhook.tested", {
  resource,
  summary: "A test ping was sent. The status is 0 when no answer came.",
  data: Type.Object({
    status: Type.Integer(),
    latencyMs: Type.Integer(),
    error: Type.Optional(Type.String()),
  }),
});

export const WebhookSecretRotated = event("webhook.secret_rotated", {
  resource,
  summary: "A webhook has a new signing secret; the former one signs too for a while.",
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
  summary: "A delivery failed in all its attempts.",
  data: Type.Object(delivery),
});

export const DeliveryRetried = event("webhook.delivery_retried", {
  resource,
  summary: "One more attempt of a failed delivery was made.",
  data: Type.Object(delivery),
});

export const DeliveryReplayed = event("webhook.delivery_replayed", {
  resource,
  summary: "An event is to be delivered once more, as a new delivery.",
  data: Type.Object({ ...delivery, replayOf: Type.String() }),
});

const recovery = {
  webhookId: Type.String(),
  since: Type.String({ description: "A time, or the id of an event" }),
};

export const RecoveryRequested = event("webhook.recovery_requested", {
  resource,
  summary: "What a webhook missed is to be delivered.",
  data: Type.Object({
    ...recovery,
    recoveryId: Type.Optional(Type.String()),
    until: Type.Optional(Type.String()),
    only: Type.Optional(Type.Enum([...RECOVERY_CHOICES])),
  }),
});

export const WebhookRecovered = event("webhook.recovered", {
  resource,
  summary: "What a webhook missed has been found, and is being delivered.",
  data: Type.Object({
    ...recovery,
    recoveryId: Type.String(),
    checked: Type.Integer({ description: "How many events were looked at" }),
    matched: Type.Integer({ description: "How many of them the webhook wants" }),
    created: Type.Integer({ description: "How many had no delivery" }),
    retried: Type.Integer({ description: "How many deliveries had failed" }),
  }),
});
