import Type from "typebox";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { accepted, item, page } from "#kernel/operation/response.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { RecoveryRequested } from "../events.ts";
import * as webhooks from "../store.ts";
import { WebhookId, WebhooksRead, WebhooksWrite } from "../webhook.ts";
import { COUNTED_EVENTS_MAX, countRecovery, Recoverable } from "./count.ts";
import { requestRecovery } from "./recover.ts";
import { Recovery, RECOVERY_CHOICES } from "./recovery.ts";
import * as store from "./store.ts";

const OfWebhook = object({ id: WebhookId });
const example = { params: { id: "whk_01jd0000000000000000000000" } };
const EventId = Type.String({ pattern: EVENT_ID_PATTERN, description: "The id of an event" });
const Since = Type.Union([InputTime, EventId]);
const LIST = "recoveries, newest first";
/** Greater than every id. */
const AFTER_ALL = "~";

export const recoverDeliveries = command({
  id: "webhooks.recover",
  effect: "drastic",
  route: "POST /api/v1/webhooks/{id}/recover",
  summary: "Recover the deliveries of a webhook since a time or an event",
  description:
    "Runs in the background for all environments of the webhook, in event order. Retries failed deliveries with " +
    "all their retries. Delivers matching events that have no delivery, including events before the webhook was " +
    "created. `only` limits the recovery to one of these actions and to events since the webhook was created. " +
    "Delivered events are not sent again. A paused webhook gets the deliveries when it is active again. " +
    "`webhooks.count_recoverable` counts them first, " +
    "`webhooks.list_recoveries` returns the progress. `webhook.recovered` is appended at the end.",
  permission: WebhooksWrite,
  params: OfWebhook,
  body: object({
    since: Since,
    until: Type.Optional(InputTime),
    only: Type.Optional(Type.Enum([...RECOVERY_CHOICES])),
  }),
  response: accepted(Recovery),
  emits: [RecoveryRequested],
  example: { ...example, body: { since: "2026-11-15T08:00:00.000Z" } },
  run: (ctx, { params, body }) => requestRecovery(ctx, params.id, body),
});

export const countRecoverable = query({
  id: "webhooks.count_recoverable",
  route: "GET /api/v1/webhooks/{id}/recoverable",
  summary: "Count the deliveries of a recovery",
  description: `Counts the first ${COUNTED_EVENTS_MAX} events of the period, not before the creation of the webhook.`,
  permission: WebhooksRead,
  params: OfWebhook,
  query: object({ since: InputTime, until: Type.Optional(InputTime) }),
  response: item(Recoverable),
  example: { ...example, query: { since: "2026-11-15T08:00:00.000Z" } },
  async prepare(platform, { params, query: asked }, caller) {
    const partition = partitionOfCaller(caller);
    const webhook = await platform.db.read(partition, (tx) => webhooks.get(tx, params.id));
    return countRecovery(platform, partition.workspace, webhook, asked);
  },
  run: async (_ctx, _input, counted) => counted,
});

export const listRecoveries = query({
  id: "webhooks.list_recoveries",
  route: "GET /api/v1/webhooks/{id}/recoveries",
  summary: "List recoveries of a webhook, newest first",
  description:
    "Returns active recoveries with their progress and the 50 newest completed recoveries.",
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
