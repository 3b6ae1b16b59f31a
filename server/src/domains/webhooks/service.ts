import { authorityOf } from "#domains/identity/accounts/index.ts";
import { type Insertable, sql } from "kysely";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { diffResource } from "#kernel/log/event.ts";
import { PRESENT_EPOCH_SQL } from "#kernel/log/event-log.ts";
import { assertNoErrors, Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { SHARDS } from "#kernel/work/shard-leases.ts";
import type { Tables } from "../../tables.ts";
import { receivesAuditEvents } from "./audit-access.ts";
import { deliveryRemovalJob } from "./deliveries/retention.ts";
import { pauseWebhook } from "./sending/dead-letter.ts";
import { DELIVERIES_DUE_SIGNAL } from "./sending/pending-delivery.ts";
import { type WebhookInput, workspaceOf } from "./webhook-input.ts";
import {
  WebhookCreated,
  WebhookDeleted,
  WebhookPaused,
  WebhookResumed,
  WebhookSecretRotated,
  WebhookUpdated,
} from "./events.ts";
import { keptHeaderErrors, maskHeaders, unmaskHeaders } from "./header.ts";
import { newSigningSecret, PREVIOUS_SECRET_MS, sealSigningSecret } from "./secret.ts";
import * as store from "./store.ts";
import { webhookRef, webhookEventData, TooManyWebhooks, type Webhook } from "./webhook.ts";

/** The limit per workspace: each event is matched against all of its webhooks. */
const WEBHOOKS_MAX = 2_000;

/** The column uses an older name for shard. */
const SHARD_COLUMN = "lane";

const DEFAULTS = {
  format: "millrace",
  retries: 3,
  retry_strategy: "exponential",
  timeout_ms: 10_000,
} as const;

/** An input with an encrypted secret: undefined keeps the stored one, null removes it. */
export interface SealedInput {
  readonly id: string;
  readonly input: Omit<WebhookInput, "secret">;
  readonly secret: Buffer | null | undefined;
}

/** Creates the id of a new webhook first, because its secret is bound to the id. */
export function newWebhookId({ clock }: Platform): string {
  return newId("whk", clock.nowMs());
}

/** Encrypts the secret before the transaction begins, so that no later step has its plain text. */
export async function sealInput(
  platform: Platform,
  caller: Caller,
  id: string,
  { secret, ...input }: WebhookInput,
): Promise<SealedInput> {
  if (typeof secret !== "string") return { id, input, secret };
  return { id, input, secret: await sealSigningSecret(platform, workspaceOf(caller), id, secret) };
}

export async function create(
  ctx: WriteContext<typeof WebhookCreated | typeof WebhookPaused>,
  { name, url, events }: Pick<Insertable<Tables["webhooks"]>, "name" | "url" | "events">,
  { id, input, secret = null }: SealedInput,
): Promise<Webhook> {
  const hears_audit = receivesAuditEvents(ctx.caller, events);
  await store.lockCount(ctx.tx);
  if ((await store.count(ctx.tx)) >= WEBHOOKS_MAX) throw new Failure(TooManyWebhooks);
  const { headers } = unmaskInput(input, {});
  const webhook = await store.insert(ctx.tx, {
    ...DEFAULTS,
    ...columnsOf({ ...input, ...(headers && { headers }) }),
    id,
    name,
    url,
    events,
    hears_audit,
    ...saverColumns(ctx.caller),
    secret,
    status: "active",
    [SHARD_COLUMN]: shardOf(id),
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(WebhookCreated, webhookRef(webhook), webhookEventData(webhook));
  if (input.status !== "paused") return webhook;
  await pauseWebhook(ctx, id, "manual");
  return store.get(ctx.tx, id);
}

/**
 * Changes a webhook. A change of status emits `webhook.paused` or `webhook.resumed`; `webhook.updated` precedes it
 * if other fields changed, and is emitted alone if the status did not change.
 */
export async function update(
  ctx: WriteContext<typeof WebhookUpdated | typeof WebhookPaused | typeof WebhookResumed>,
  { id, input, secret }: SealedInput,
): Promise<Webhook> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const statusChanges = input.status !== undefined && input.status !== before.status;
  const urlChanges = input.url !== undefined && input.url !== before.url;
  const stored =
    input.headers || urlChanges ? (await store.getSecretColumns(ctx.tx, id)).headers : {};
  if (urlChanges) assertNoErrors(keptHeaderErrors(input.headers ?? maskHeaders(stored)));
  const { headers, hasChanged } = unmaskInput(input, stored);
  const columns = {
    ...columnsOf({ ...input, ...(headers && { headers }) }),
    ...accessColumns(ctx.caller, input, before),
    ...(secret !== undefined && { secret, previous_secret: null, previous_secret_until: null }),
    // An explicit `active` resets the failures too.
    ...(input.status === "active" && !statusChanges && { consecutive_failures: 0 }),
  };
  let after = before;
  if (Object.keys(columns).length > 0 || !statusChanges) {
    after = await store.update(ctx.tx, id, { ...columns, updated_at: ctx.now });
    const { changes, ...states } = diffResource(webhookEventData(before), webhookEventData(after));
    const hiddenChanges = [
      ...(secret !== undefined ? ["secret"] : []),
      ...(hasChanged ? ["headers"] : []),
    ];
    const all = [...new Set([...changes, ...hiddenChanges])];
    if (all.length > 0 || !statusChanges) {
      ctx.emit(WebhookUpdated, webhookRef(after), { ...states, changes: all });
    }
  }
  if (!statusChanges) return after;
  if (input.status === "active") return resumeFromNow(ctx, id);
  await pauseWebhook(ctx, id, "manual");
  return store.get(ctx.tx, id);
}

/** Resumes a paused webhook with the events from now on. */
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
    since_epoch: sql<number>`${sql.raw(PRESENT_EPOCH_SQL)}`,
    since: sql<string>`pg_current_snapshot()`,
    since_event: null,
    consecutive_failures: 0,
    updated_at: ctx.now,
  });
  ctx.emit(WebhookResumed, webhookRef(webhook), { ...webhookEventData(webhook), from: "now" });
  // Deliveries that were due at the pause are due now.
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  return webhook;
}

/** Deletes a webhook. A job deletes its deliveries, of which there may be many. */
export async function remove(ctx: WriteContext<typeof WebhookDeleted>, id: string): Promise<void> {
  const webhook = await store.lock(ctx.tx, id);
  ctx.expectRevision(webhook.revision);
  await store.remove(ctx.tx, id);
  ctx.enqueue(deliveryRemovalJob, { webhookId: id });
  ctx.emit(WebhookDeleted, webhookRef(webhook), webhookEventData(webhook));
}

/** Prepares a new signing secret, given or generated, in plain text and encrypted. */
export async function prepareSecret(
  platform: Platform,
  caller: Caller,
  id: string,
  input: string | undefined,
): Promise<{ readonly secret: string; readonly sealed: Buffer }> {
  const secret = input ?? newSigningSecret();
  const sealed = await sealSigningSecret(platform, workspaceOf(caller), id, secret);
  return { secret, sealed };
}

/** Replaces the signing secret. The previous one also signs for a while, and older ones no longer do. */
export async function rotateSecret(
  ctx: WriteContext<typeof WebhookSecretRotated>,
  id: string,
  sealed: Buffer,
): Promise<Webhook> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const { secret: former } = await store.getSecretColumns(ctx.tx, id);
  const webhook = await store.update(ctx.tx, id, {
    secret: sealed,
    previous_secret: former,
    previous_secret_until: former && new Date(ctx.now.getTime() + PREVIOUS_SECRET_MS),
    updated_at: ctx.now,
  });
  ctx.emit(WebhookSecretRotated, webhookRef(webhook), webhookEventData(webhook));
  return webhook;
}

/** Replaces masks in the new headers with the stored values, and compares both. */
function unmaskInput(
  { headers: input }: SealedInput["input"],
  stored: Readonly<Record<string, string>>,
) {
  if (input === undefined) return { headers: undefined, hasChanged: false };
  const { headers, errors } = unmaskHeaders(input, stored);
  assertNoErrors(errors);
  const names = new Set([...Object.keys(headers), ...Object.keys(stored)]);
  return { headers, hasChanged: [...names].some((name) => headers[name] !== stored[name]) };
}

/**
 * The columns with the editor's permissions. They change with the URL, the events, the filter, which reads event
 * data, and the headers, which may contain secrets.
 */
function accessColumns(caller: Caller, input: SealedInput["input"], before: Webhook) {
  const urlChanges = input.url !== undefined && input.url !== before.url;
  const subscriptionChanges = input.events !== undefined || urlChanges;
  return {
    ...(subscriptionChanges && {
      hears_audit: receivesAuditEvents(caller, input.events ?? before.events),
    }),
    ...((subscriptionChanges || input.filter !== undefined || input.headers !== undefined) &&
      saverColumns(caller)),
  };
}

function saverColumns(caller: Caller) {
  const { runAs, permissions } = authorityOf(caller);
  return { saved_by: runAs, permissions: permissions && [...permissions] };
}

/** The columns of an input, except the status, which involves more than one column. */
function columnsOf(input: SealedInput["input"]) {
  const { name, url, events, environments, filter, headers, format, retries } = input;
  const { retryStrategy, retryMaxDelayMs, timeoutMs, maxPerSecond } = input;
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

/** The shard of a webhook: a hash of its id. */
export function shardOf(id: string): number {
  return (sha256(id)[0] ?? 0) % SHARDS;
}
