/** Webhooks in packs. The workspace decides whether one is paused, and keeps the signing secret. */
import Type, { type Static } from "typebox";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { listIds, packContent } from "#kernel/contributions/pack-content.ts";
import { object } from "#kernel/schema/schema.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { parseWebhookInput } from "./webhook-input.ts";
import { aliasedFields, settings, type Webhook, WebhooksWrite } from "./webhook.ts";

const { name, url, events, ...optional } = { ...settings, ...aliasedFields };

const PackWebhook = object(
  { name, url, events, ...Type.Partial(Type.Object(optional)).properties },
  { title: "PackWebhook" },
);

/** The defaults of omitted webhook settings. */
const DEFAULTS: Omit<Required<Static<typeof PackWebhook>>, "name" | "url" | "events"> = {
  environments: null,
  filter: null,
  headers: {},
  format: "millrace",
  retries: 3,
  retryStrategy: "exponential",
  retryMaxDelayMs: null,
  timeoutMs: 10_000,
  maxPerSecond: null,
};

export const webhookContent = packContent({
  kind: "webhooks",
  permission: WebhooksWrite,
  environmentScoped: false,
  schema: PackWebhook,
  keyOf: (content) => content.name,
  async prepare(platform, content, caller) {
    const place = { ...partitionOfCaller(caller), environment: "production" as const };
    const known = await platform.db.read(place, (tx) => findByName(tx, content.name));
    const input = await parseWebhookInput(platform, caller, { ...DEFAULTS, ...content });
    return service.sealInput(platform, caller, known ?? service.newWebhookId(platform), input);
  },
  find: ({ tx }, content) => findByName(tx, content.name),
  async read({ tx }, id) {
    const webhook = await find(tx, id);
    return webhook && toContent(webhook);
  },
  create: async (ctx, content, prepared) => (await service.create(ctx, content, prepared)).id,
  async replace(ctx, id, _content, prepared) {
    await service.update(ctx, { ...prepared, id });
    return id;
  },
  remove: service.remove,
  source: {
    list: ({ tx }, limit) => listIds(tx, "webhooks", limit),
    async toContent({ tx }, id) {
      const webhook = await find(tx, id);
      if (!webhook) return undefined;
      const fields = Object.entries(toContent(webhook));
      return Object.fromEntries(fields.filter(([, value]) => value !== null));
    },
  },
});

async function find(tx: Tx, id: string): Promise<Webhook | undefined> {
  const [row] = await queryRows(tx, "select id from webhooks where id = $1", [id]);
  return row && store.get(tx, id);
}

/** Returns undefined if two webhooks have the same name, because the reference is ambiguous. */
async function findByName(tx: Tx, webhookName: string): Promise<string | undefined> {
  const select = "select id from webhooks where name = $1 order by id limit 2";
  const [first, second] = await queryRows(tx, select, [webhookName]);
  return first && !second ? String(first["id"]) : undefined;
}

function toContent(webhook: Webhook): object {
  const names = Object.keys(PackWebhook.properties) as (keyof Webhook)[];
  return Object.fromEntries(names.map((field) => [field, webhook[field] ?? null]));
}
