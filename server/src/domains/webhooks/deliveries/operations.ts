import Type from "typebox";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import * as events from "../events.ts";
import { WebhooksRead, WebhooksWrite } from "../webhook.ts";
import * as webhooks from "../store.ts";
import { Webhook, WebhookId } from "../webhook.ts";
import {
  Delivery,
  DeliveryChanged,
  DeliveryDetail,
  DeliveryId,
  DeliveryNotFailed,
  DeliveryStatus,
  EventPruned,
  WebhookNotPaused,
} from "./delivery.ts";
import { readDeliveryDetail } from "./delivery-detail.ts";
import { resume } from "./resume.ts";
import { attemptRetry, recordRetry } from "./retry-delivery.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const OfWebhook = object({ id: WebhookId });
const ById = object({ id: WebhookId, deliveryId: DeliveryId });
const ofWebhook = { params: { id: "whk_01jd0000000000000000000000" } };
const byId = {
  params: { ...ofWebhook.params, deliveryId: "dlv_0100000000rq00000000vk0000000000" },
};
const LIST = "deliveries, newest first";

export const listDeliveries = query({
  id: "webhooks.list_deliveries",
  route: "GET /api/v1/webhooks/{id}/deliveries",
  summary: "List deliveries of a webhook, newest first",
  description: "Returns deliveries of events in the environment of the request.",
  environmentScoped: true,
  permission: WebhooksRead,
  params: OfWebhook,
  query: object({ ...pageQuery, status: Type.Optional(DeliveryStatus) }),
  response: page(Delivery),
  example: { ...ofWebhook, query: { limit: 50, status: "failed" } },
  async run({ tx, services }, { params, query: { limit, after, status } }) {
    await webhooks.get(tx, params.id);
    const list = `${LIST} ${params.id} ${status ?? ""}`;
    const before =
      after === undefined ? undefined : String(services.cursors.decode(list, after)[0]);
    const rows = await store.list(tx, params.id, { status, before, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (delivery) => delivery,
      ({ id }) => services.cursors.encode(list, [id]),
    );
  },
});

export const getDelivery = query({
  id: "webhooks.get_delivery",
  route: "GET /api/v1/webhooks/{id}/deliveries/{deliveryId}",
  summary: "Get a delivery with its request, its response and all attempts",
  environmentScoped: true,
  permission: WebhooksRead,
  params: ById,
  response: item(DeliveryDetail),
  example: byId,
  run: (ctx, { params }) => readDeliveryDetail(ctx, params.id, params.deliveryId),
});

export const retryDelivery = command({
  id: "webhooks.retry_delivery",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/retry",
  summary: "Retry a failed delivery",
  description:
    "Makes one attempt with the same id and body, to the current URL, also if the webhook is paused. The response contains the outcome: `status` is `succeeded` or `failed`. A failure does not count toward pausing the webhook.",
  environmentScoped: true,
  permission: WebhooksWrite,
  params: ById,
  response: item(Delivery),
  emits: [events.DeliveryRetried],
  fails: [DeliveryNotFailed, DeliveryChanged, EventPruned],
  example: byId,
  prepare: (platform, { params }, caller) => attemptRetry(platform, caller, params),
  run: (ctx, _input, retried) => recordRetry(ctx, retried),
});

export const replayDelivery = command({
  id: "webhooks.replay_delivery",
  effect: "ordinary",
  route: "POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay",
  summary: "Redeliver the event of a delivery",
  description:
    "Creates a new delivery with its own id and retries. For a paused webhook, it waits until the webhook is active.",
  environmentScoped: true,
  permission: WebhooksWrite,
  params: ById,
  response: created(Delivery, {
    location: ({ webhookId, id }) => `/api/v1/webhooks/${webhookId}/deliveries/${id}`,
  }),
  emits: [events.DeliveryReplayed],
  fails: [EventPruned],
  example: byId,
  run: (ctx, { params }) => service.replay(ctx, params.id, params.deliveryId),
});

export const resumeWebhook = command({
  id: "webhooks.resume",
  effect: "drastic",
  route: "POST /api/v1/webhooks/{id}/resume",
  summary: "Resume a paused webhook",
  description:
    "`pausedAt` delivers all events since the pause in log order, then continues. `now` skips them. The id of an event starts with that event; delivered events are not sent again. `catchingUp` is true until all of them are delivered. The failure count is reset.",
  permission: WebhooksWrite,
  params: OfWebhook,
  body: object({
    from: Type.String({
      pattern: `^(pausedAt|now|${EVENT_ID_PATTERN.slice(1, -1)})$`,
      description: "`pausedAt`, `now`, or the id of an event",
    }),
  }),
  response: item(Webhook),
  emits: [events.WebhookResumed],
  fails: [WebhookNotPaused],
  example: { ...ofWebhook, body: { from: "pausedAt" } },
  run: (ctx, { params, body }) => resume(ctx, params.id, body.from),
});
