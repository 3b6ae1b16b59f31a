import { type Insertable, sql } from "kysely";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { SHARDS } from "#kernel/work/shard-leases.ts";
import type { Tables } from "../../tables.ts";
import { receivesAuditEvents } from "./audit-access.ts";
import { removeDeliveries } from "./deliveries/retention.ts";
import { pauseWebhook } from "./sending/dead-letter.ts";
import { DELIVERIES_DUE_SIGNAL } from "./sending/pending-delivery.ts";
import { assertNoFaults, type WebhookInput, workspaceOf } from "./webhook-input.ts";
import {
  WebhookCreated,
  WebhookDeleted,
  WebhookPaused,
  WebhookResumed,
  WebhookSecretRotated,
  WebhookUpdated,
} from "./events.ts";
import { unmaskHeaders } from "./header.ts";
import { newSigningSecret, PREVIOUS_SECRET_MS, sealSigningSecret } from "./secret.ts";
import * as store from "./store.ts";
import { webhookRef, toWebhook, TooManyWebhooks, type Webhook } from "./webhook.ts";

/** Each event of a workspace is held against all of them. */
const WEBHOOKS_MAX = 2_000;

const DEFAULTS = {
  format: "millrace",
  retries: 3,
  retry_strategy: "exponential",
  timeout_ms: 10_000,
} as const;

/** A draft whose secret is sealed: undefined when it is to stay, null when there is to be none. */
export interface Sealed {
  readonly id: string;
  readonly draft: Omit<WebhookInput, "secret">;
  readonly secret: Buffer | null | undefined;
}

/** The id of a webhook that is to be created, needed first: its secret is bound to it. */
export function newWebhookId({ clock }: Platform): string {
  return newId("whk", clock.nowMs());
}

/** Sealed before the transaction begins: from there on nothing has the secret. */
export async function sealDraft(
  platform: Platform,
  caller: Caller,
  id: string,
  { secret, ...draft }: WebhookInput,
): Promise<Sealed> {
  if (typeof secret !== "string") return { id, draft, secret };
  return { id, draft, secret: await sealSigningSecret(platform, workspaceOf(caller), id, secret) };
}

export async function create(
  ctx: WriteContext<typeof WebhookCreated | typeof WebhookPaused>,
  { name, url, events }: Pick<Insertable<Tables["webhooks"]>, "name" | "url" | "events">,
  { id, draft, secret = null }: Sealed,
): Promise<Webhook> {
  const hears_audit = receivesAuditEvents(ctx.caller, events);
  await store.lockCount(ctx.tx);
  if ((await store.count(ctx.tx)) >= WEBHOOKS_MAX) throw new Failure(TooManyWebhooks);
  const { headers } = unmaskedOf(draft, {});
  const webhook = await store.insert(ctx.tx, {
    ...DEFAULTS,
    ...columnsOf({ ...draft, ...(headers && { headers }) }),
    id,
    name,
    url,
    events,
    hears_audit,
    saved_by: ctx.caller.principal?.id ?? null,
    secret,
    status: "active",
    since_epoch: ctx.services.epoch,
    lane: laneOf(id),
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(WebhookCreated, webhookRef(webhook), toWebhook(webhook));
  if (draft.status !== "paused") return webhook;
  await pauseWebhook(ctx, id, "manual");
  return store.get(ctx.tx, id);
}

/**
 * Changes a webhook. A change of status has an event of its own, `webhook.paused` or
 * `webhook.resumed`; `webhook.updated` comes before it when something else changed, and when nothing
 * did in the status.
 */
export async function update(
  ctx: WriteContext<typeof WebhookUpdated | typeof WebhookPaused | typeof WebhookResumed>,
  { id, draft, secret }: Sealed,
): Promise<Webhook> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const turns = draft.status !== undefined && draft.status !== before.status;
  const stored = draft.headers ? (await store.unshown(ctx.tx, id)).headers : {};
  const { headers, touched } = unmaskedOf(draft, stored);
  const columns = {
    ...columnsOf({ ...draft, ...(headers && { headers }) }),
    ...hearingOf(ctx.caller, draft, before),
    ...(secret !== undefined && { secret, previous_secret: null, previous_secret_until: null }),
    // To say that it is active is to say that its endpoint is well.
    ...(draft.status === "active" && !turns && { consecutive_failures: 0 }),
  };
  let after = before;
  if (Object.keys(columns).length > 0 || !turns) {
    after = await store.update(ctx.tx, id, { ...columns, updated_at: ctx.now });
    const { changes, ...states } = diffResource(toWebhook(before), toWebhook(after));
    const unseen = [...(secret !== undefined ? ["secret"] : []), ...(touched ? ["headers"] : [])];
    const all = [...new Set([...changes, ...unseen])];
    if (all.length > 0 || !turns) {
      ctx.emit(WebhookUpdated, webhookRef(after), { ...states, changes: all });
    }
  }
  if (!turns) return after;
  if (draft.status === "active") return resumeFromNow(ctx, id);
  await pauseWebhook(ctx, id, "manual");
  return store.get(ctx.tx, id);
}

/** A paused webhook goes on with what happens from now on. */
export async function resumeFromNow(
  ctx: WriteContext<typeof WebhookResumed>,
  id: string,
): Promise<Webhook> {
  const webhook = await store.update(ctx.tx, id, {
    status: "active",
    paused_because: null,
    paused_at: null,
    place_epoch: null,
    place_xid: null,
    place_seq: null,
    since_epoch: ctx.services.epoch,
    since: sql<string>`pg_current_snapshot()`,
    since_event: null,
    consecutive_failures: 0,
    updated_at: ctx.now,
  });
  ctx.emit(WebhookResumed, webhookRef(webhook), { ...toWebhook(webhook), from: "now" });
  // What was due when it was paused is due now.
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  return webhook;
}

/** Deletes a webhook. Its deliveries, which may be many, go by and by. */
export async function remove(ctx: WriteContext<typeof WebhookDeleted>, id: string): Promise<void> {
  const webhook = await store.lock(ctx.tx, id);
  ctx.expectRevision(webhook.revision);
  await store.remove(ctx.tx, id);
  ctx.enqueue(removeDeliveries, { webhookId: id });
  ctx.emit(WebhookDeleted, webhookRef(webhook), toWebhook(webhook));
}

/** A new signing secret, given or made here, in the clear and sealed. */
export async function prepareSecret(
  platform: Platform,
  caller: Caller,
  id: string,
  given: string | undefined,
): Promise<{ readonly secret: string; readonly sealed: Buffer }> {
  const secret = given ?? newSigningSecret();
  const sealed = await sealSigningSecret(platform, workspaceOf(caller), id, secret);
  return { secret, sealed };
}

/** The former secret, if there is one, signs too for a while; one from before that no longer. */
export async function rotateSecret(
  ctx: WriteContext<typeof WebhookSecretRotated>,
  id: string,
  sealed: Buffer,
): Promise<Webhook> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const { secret: former } = await store.unshown(ctx.tx, id);
  const webhook = await store.update(ctx.tx, id, {
    secret: sealed,
    previous_secret: former,
    previous_secret_until: former && new Date(ctx.now.getTime() + PREVIOUS_SECRET_MS),
    updated_at: ctx.now,
  });
  ctx.emit(WebhookSecretRotated, webhookRef(webhook), toWebhook(webhook));
  return webhook;
}

/** New headers without masks, and whether they differ from the stored ones. */
function unmaskedOf({ headers: given }: Sealed["draft"], stored: Readonly<Record<string, string>>) {
  if (given === undefined) return { headers: undefined, touched: false };
  const { headers, faults } = unmaskHeaders(given, stored);
  assertNoFaults(faults);
  const names = new Set([...Object.keys(headers), ...Object.keys(stored)]);
  return { headers, touched: [...names].some((name) => headers[name] !== stored[name]) };
}

/**
 * Whoever changes where events go must be allowed to see them, as must whoever chooses them. A filter
 * chooses by what is in them.
 */
function hearingOf(caller: Caller, draft: Sealed["draft"], before: Webhook) {
  const moves = draft.url !== undefined && draft.url !== before.url;
  const chooses = draft.events !== undefined || moves;
  return {
    ...(chooses && { hears_audit: receivesAuditEvents(caller, draft.events ?? before.events) }),
    ...((chooses || draft.filter !== undefined) && { saved_by: caller.principal?.id ?? null }),
  };
}

/** The columns of what a draft names, but its status, which other things go with. */
function columnsOf(draft: Sealed["draft"]) {
  const { name, url, events, environments, filter, headers, format, retries } = draft;
  const { retryStrategy, retryMaxDelayMs, timeoutMs, maxPerSecond } = draft;
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(environments !== undefined && { environments }),
    ...(filter !== undefined && { filter: filter && JSON.stringify(filter) }),
    ...(headers !== undefined && { headers: JSON.stringify(headers) }),
    ...(format !== undefined && { format }),
    ...(retries !== undefined && { retries }),
    ...(retryStrategy !== undefined && { retry_strategy: retryStrategy }),
    ...(retryMaxDelayMs !== undefined && { retry_max_delay_ms: retryMaxDelayMs }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(maxPerSecond !== undefined && { max_per_second: maxPerSecond }),
  };
}

/** Always the same for the same webhook, and spread evenly. */
export function laneOf(id: string): number {
  return (sha256(id)[0] ?? 0) % SHARDS;
}
