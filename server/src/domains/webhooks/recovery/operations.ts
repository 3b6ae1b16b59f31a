import Type from "typebox";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { accepted, page } from "#kernel/operation/response.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { RecoveryRequested } from "../events.ts";
import * as webhooks from "../store.ts";
import { WebhookId, WebhooksRead, WebhooksWrite } from "../webhook.ts";
import { requestRecovery } from "./recover.ts";
import { Recovery } from "./recovery.ts";
import * as store from "./store.ts";

const OfWebhook = object({ id: WebhookId });
const example = { params: { id: "whk_01jd0000000000000000000000" } };
const EventId = Type.String({ pattern: EVENT_ID_PATTERN, description: "The id of an event" });
const LIST = "recoveries, newest first";
/** Greater than every id. */
const AFTER_ALL = "~";

export const recoverDeliveries = command({
  id: "webhooks.recover",
  effect: "drastic",
  route: "POST /api/v1/webhooks/{id}/recover",
  summary: "Deliver what a webhook missed since a time, or from some event on",
  description:
    "In the background, for all environments that the webhook hears: each event of that span that it " +
    "wants and that has no delivery gets one, also from before the webhook existed, and deliveries " +
    "that failed are tried again with all their retries. What was delivered is not sent again. What " +
    "becomes due for a paused webhook is sent when it is active again. `webhooks.list_recoveries` shows " +
    "how far it is, and `webhook.recovered` says when it is done.",
  permission: WebhooksWrite,
  params: OfWebhook,
  body: object({ since: Type.Union([InputTime, EventId]) }),
  response: accepted(Recovery),
  emits: [RecoveryRequested],
  example: { ...example, body: { since: "2026-11-15T08:00:00.000Z" } },
  run: (ctx, { params, body }) => requestRecovery(ctx, params.id, body.since),
});

export const listRecoveries = query({
  id: "webhooks.list_recoveries",
  route: "GET /api/v1/webhooks/{id}/recoveries",
  summary: "List the recoveries of a webhook and how far each is, newest first",
  description: "Those under way, and the newest 50 of those that are done.",
  permission: WebhooksRead,
  params: OfWebhook,
  query: object(pageQuery),
  response: page(Recovery),
  example,
  async run({ tx, services }, { params, query: { limit, after } }) {
    await webhooks.get(tx, params.id);
    const list = `${LIST} ${params.id}`;
    const [start = AFTER_ALL] = after === undefined ? [] : services.cursors.decode(list, after);
    const rows = await store.list(tx, params.id, { before: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (recovery) => recovery,
      ({ id }) => services.cursors.encode(list, [id]),
    );
  },
});
