import Type from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import {
  unwrapped,
  created,
  noContent,
  item,
  page,
  withRevision,
} from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import {
  NewWebhook,
  parseWebhookInput,
  subscriptionWarnings,
  WebhookChange,
} from "./webhook-input.ts";
import * as events from "./events.ts";
import { ping, TestResponse } from "./ping.ts";
import { Preview, preview, PreviewQuery } from "./preview/preview.ts";
import { secretErrorMessage } from "./secret.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import {
  RotatedSecret,
  Secret,
  TooManyWebhooks,
  Webhook,
  WebhookId,
  webhookRef,
  WebhooksRead,
  WebhooksWrite,
} from "./webhook.ts";

/** The parameters of every operation on one webhook. */
export const ById = object({ id: WebhookId });
const example = { params: { id: "whk_01jd0000000000000000000000" } };
const LIST = "webhooks, newest first";
/** Greater than every id. */
const AFTER_ALL = "~";

export const listWebhooks = query({
  id: "webhooks.list",
  route: "GET /api/v1/webhooks",
  summary: "List webhooks, newest first",
  permission: WebhooksRead,
  query: object(pageQuery),
  response: page(withRevision(Webhook)),
  async run({ tx, services }, { query: { limit, after } }) {
    const [start = AFTER_ALL] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, { before: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (webhook) => webhook,
      ({ id }) => services.cursors.encode(LIST, [id]),
    );
  },
});

export const createWebhook = command({
  id: "webhooks.create",
  effect: "drastic",
  route: "POST /api/v1/webhooks",
  summary: "Create a webhook",
  description:
    "Sends new events from the environments in `environments`. Default: all environments. `retry_strategy`, `retry_max_delay_ms`, `timeout_ms` and `max_per_second` are aliases of `retryStrategy`, `retryMaxDelayMs`, `timeoutMs` and `maxPerSecond`: if you set both, they must be equal. With the status `paused`, `webhook.paused` is appended after `webhook.created`. Audit events (`audit.…`) require `audit:read`: without it, a pattern that begins with `audit` is rejected (403), and other patterns omit these events. A workspace can have at most 2,000 webhooks.",
  permission: WebhooksWrite,
  body: NewWebhook,
  response: created(Webhook, { location: ({ id }) => `/api/v1/webhooks/${id}` }),
  emits: [events.WebhookCreated, events.WebhookPaused],
  fails: [TooManyWebhooks],
  example: {
    body: {
      name: "Critical incidents to the pager",
      url: "https://pager.example.com/hooks/millrace",
      events: ["incident.*"],
      filter: { "data.severity": { in: ["critical", "high"] } },
      headers: { Authorization: "Bearer {{secrets.PAGER_TOKEN}}" },
      secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
      retries: 5,
      retry_strategy: "exponential",
      timeout_ms: 5_000,
    },
  },
  prepare: async (platform, { body }, caller) =>
    service.sealInput(
      platform,
      caller,
      service.newWebhookId(platform),
      await parseWebhookInput(platform, caller, body),
    ),
  run: async (ctx, { body }, sealed) => ({
    ...(await service.create(ctx, body, sealed)),
    ...subscriptionWarnings(ctx.services, body),
  }),
});

export const getWebhook = query({
  id: "webhooks.get",
  route: "GET /api/v1/webhooks/{id}",
  summary: "Get a webhook",
  permission: WebhooksRead,
  params: ById,
  response: item(Webhook),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updateWebhook = command({
  id: "webhooks.update",
  effect: "drastic",
  route: "PATCH /api/v1/webhooks/{id}",
  summary: "Update, pause or resume a webhook",
  description:
    "`status: active` resumes the webhook from now on and resets its failure count. To deliver missed events, use `resume`. A new `secret` applies immediately, and null removes it; to replace a secret without interruption, use `secret/rotate`. A status change appends `webhook.paused` or `webhook.resumed`, and before it `webhook.updated` if other fields changed too. A change of `events` or `url` checks again whether audit events are sent, see `hearsAudit`.",
  permission: WebhooksWrite,
  params: ById,
  body: WebhookChange,
  response: item(Webhook),
  emits: [events.WebhookUpdated, events.WebhookPaused, events.WebhookResumed],
  example: { ...example, body: { events: ["incident.*", "change.*"], timeoutMs: 3_000 } },
  prepare: async (platform, { params, body }, caller) =>
    service.sealInput(platform, caller, params.id, await parseWebhookInput(platform, caller, body)),
  run: async (ctx, { body }, sealed) => ({
    ...(await service.update(ctx, sealed)),
    ...subscriptionWarnings(ctx.services, body),
  }),
});

export const deleteWebhook = command({
  id: "webhooks.delete",
  route: "DELETE /api/v1/webhooks/{id}",
  summary: "Delete a webhook and its deliveries",
  description: "Its deliveries can't be viewed any longer, and are deleted in the background.",
  permission: WebhooksWrite,
  params: ById,
  response: noContent(),
  emits: [events.WebhookDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

export const testWebhook = command({
  id: "webhooks.test",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/webhooks/{id}/test",
  summary: "Send a test ping to a webhook",
  description:
    "Sends a signed `webhook.ping` event like a delivery, also if the webhook is paused, and returns the response. Without a response, `status` is 0 and `error` is set. The fields of `data` are also at the top level.",
  permission: WebhooksWrite,
  params: ById,
  response: unwrapped(TestResponse),
  emits: [events.WebhookTested],
  fails: [UnknownSecret],
  example,
  prepare: (platform, { params }, caller) => ping(platform, caller, params.id),
  async run(ctx, _input, { webhook, result }) {
    const { status, latency_ms: latencyMs, error } = result;
    const data = { status, latencyMs, ...(error !== undefined && { error }) };
    ctx.emit(events.WebhookTested, webhookRef(webhook), data);
    return { data: result, ...result };
  },
});

export const rotateWebhookSecret = command({
  id: "webhooks.rotate_secret",
  effect: "drastic",
  route: "POST /api/v1/webhooks/{id}/secret/rotate",
  summary: "Rotate the signing secret of a webhook",
  description:
    "If you do not send a `secret`, the server generates one. Requests are also signed with the previous secret for 24 hours: `webhook-signature` contains both signatures, and `X-Service-Signature-256-Previous` contains the previous signature.",
  permission: WebhooksWrite,
  params: ById,
  body: object({ secret: Type.Optional(Secret) }),
  bodyOptional: true,
  response: item(RotatedSecret),
  emits: [events.WebhookSecretRotated],
  example: { ...example, body: {} },
  prepare: async (platform, { params, body }, caller) => {
    const message = body.secret === undefined ? undefined : secretErrorMessage(body.secret);
    if (message !== undefined) throw invalidField("/secret", message);
    return service.prepareSecret(platform, caller, params.id, body.secret);
  },
  async run(ctx, { params }, { secret, sealed }) {
    const webhook = await service.rotateSecret(ctx, params.id, sealed);
    const { previousSecretExpiresAt, revision } = webhook;
    return { secret, previousSecretExpiresAt, revision };
  },
});

export const previewWebhook = query({
  id: "webhooks.preview",
  route: "POST /api/v1/webhooks/preview",
  summary: "List past events that match a webhook",
  description:
    "Covers the environment of the request, newest first. `from` is inclusive, `to` is exclusive. The filter uses the same format as a webhook filter. Without `audit:read`, audit events are omitted.",
  environmentScoped: true,
  permission: WebhooksRead,
  body: PreviewQuery,
  response: item(Preview),
  example: {
    body: { events: ["incident.*"], filter: { "data.severity": "critical" }, limit: 20 },
  },
  run: (ctx, { body }) => preview(ctx, body),
});
