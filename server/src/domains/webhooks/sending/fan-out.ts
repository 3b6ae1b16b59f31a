import { type RawBuilder, sql } from "kysely";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { visibilityContext } from "#kernel/log/event-visibility.ts";
import { reader } from "#kernel/readers/reader.ts";
import { compileSubscriptionStart, type StartFilter } from "#kernel/log/subscription-start.ts";
import { attachWhole, rootsIn, type SubjectRoot } from "#kernel/condition/subject-root.ts";
import { compileSubscription } from "./subscription.ts";
import {
  DELIVERIES_DUE_SIGNAL,
  type DeliveryTarget,
  FAN_OUT_READER,
  firstDelivery,
  type PendingDelivery,
} from "./pending-delivery.ts";
import type { PayloadFormat } from "./payload.ts";
import { readVisibility } from "./visibility.ts";
import { sender } from "./sender.ts";

/**
 * Fan-out: writes deliveries for the events of the log. The rows commit together with the cursor, so each event is
 * fanned out exactly once. The sender of this process receives the deliveries of its own shards in memory, without
 * reading them from the database.
 */
export const fanOutReader = reader({
  name: FAN_OUT_READER,
  on: ["*"],
  startsAt: "end",
  async selectParts({ services, continuous }, parts) {
    if (!continuous) services.engineOf(sender)?.rescan();
    const keys = [...new Set(parts.map(({ partition }) => partition.workspace))];
    const rows = await services.db.system<{ workspace_id: string }>(LISTENING_WORKSPACES, [keys]);
    const listening = new Set(rows.map((row) => row.workspace_id));
    return ({ partition }) => listening.has(partition.workspace);
  },
  async handleSummary(ctx, summaries) {
    const { tx, now, services, continuous, onCommit } = ctx;
    // Another node has fanned out in the meantime, perhaps for a webhook in a shard of this node.
    if (!continuous) services.engineOf(sender)?.rescan();
    const subscribers = await readSubscribers(tx, services);
    const subscribersOf = indexByType(subscribers);
    const types = summaries
      .map(({ type }) => type)
      .filter((type) => subscribersOf(type).length > 0);
    if (types.length === 0) return;
    const recorded = (await ctx.events(types)).filter(({ depth }) => depth <= CAUSATION_DEPTH_MAX);
    const roots = new Set(types.flatMap((type) => subscribersOf(type).flatMap((to) => to.roots)));
    const events = roots.size === 0 ? recorded : await attachWhole(tx, [...roots], recorded);
    const toVisible = await readVisibility(tx, visibilityContext(ctx), events, () => [
      ...new Set(types.flatMap((type) => subscribersOf(type).map(({ id }) => id))),
    ]);
    const deliveries = events.flatMap((original) =>
      subscribersOf(original.type).flatMap((to) => {
        const event = toVisible(original, to.id);
        return event && to.matches(event) && to.isAfterStart(event) ? [{ to, event }] : [];
      }),
    );
    if (deliveries.length === 0) return;
    const inserted = await insertDeliveries(tx, now, deliveries);
    onCommit(() => {
      const unsent = services.engineOf(sender)?.enqueue(inserted) ?? inserted.length;
      if (unsent > 0) services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL);
    });
  },
});

const LISTENING_WORKSPACES = `
  select distinct w.workspace_id from webhooks w
   where w.workspace_id = any($1::uuid[]) and w.status = 'active' and w.place_xid is null`;

interface Subscriber extends DeliveryTarget {
  /** The event types, if the patterns list them explicitly. */
  readonly types: readonly string[] | undefined;
  /** Resources that its condition reads besides the event itself. */
  readonly roots: readonly SubjectRoot[];
  readonly matches: (event: RecordedEvent) => boolean;
  readonly isAfterStart: StartFilter;
}

/** Indexes by event type: most webhooks list their types, so few of a thousand match. */
function indexByType(subscribers: readonly Subscriber[]): (type: string) => readonly Subscriber[] {
  const named = new Map<string, Subscriber[]>();
  const others: Subscriber[] = [];
  for (const subscriber of subscribers) {
    if (!subscriber.types) others.push(subscriber);
    for (const type of new Set(subscriber.types)) {
      named.set(type, [...(named.get(type) ?? []), subscriber]);
    }
  }
  return (type) => [...(named.get(type) ?? []), ...others];
}

interface SubscriberRow {
  readonly id: string;
  readonly shard: number;
  readonly url: string;
  readonly format: PayloadFormat;
  readonly revision: number;
  readonly since_epoch: number;
  readonly since: string;
  readonly since_event: string | null;
}

/** Compiled subscriptions by webhook and revision, for each kernel of this process. */
const compiledSubscriptions = new WeakMap<PlatformServices, Map<string, CompiledSubscription>>();
type CompiledSubscription = Pick<Subscriber, "matches" | "types" | "roots"> & {
  readonly revision: number;
};
const COMPILED_MAX = 20_000;

/** Reads the active webhooks of this workspace each time, so that a change takes effect at its commit. */
async function readSubscribers(tx: Tx, services: PlatformServices): Promise<Subscriber[]> {
  const { rows } = await sql<SubscriberRow>`
    select id, lane as shard, url, format, revision, since_epoch, since::text as since, since_event
      from webhooks where status = 'active' and place_xid is null order by id`.execute(tx);
  const cache = compiledSubscriptions.get(services) ?? new Map<string, CompiledSubscription>();
  compiledSubscriptions.set(services, cache);
  if (cache.size > COMPILED_MAX) cache.clear();
  const missing = rows.filter(({ id, revision }) => cache.get(id)?.revision !== revision);
  if (missing.length > 0) services.engineOf(sender)?.markBacklog(missing);
  for (const row of await readSubscriptions(tx, missing)) {
    const types = row.events.some((pattern) => pattern.includes("*")) ? undefined : row.events;
    const roots = rootsIn(row.filter, services);
    const matches = compileOrReject(row, services);
    cache.set(row.id, { revision: row.revision, types, roots, matches });
  }
  return rows.flatMap((row) => {
    const cached = cache.get(row.id);
    if (!cached) return [];
    const { matches, types, roots } = cached;
    return [{ ...row, matches, types, roots, isAfterStart: compileStart(row) }];
  });
}

/** Compiled on first use: only events close to the start of a subscription need it. */
function compileStart({
  since_epoch: epoch,
  since: snapshot,
  since_event: event,
}: SubscriberRow): StartFilter {
  let isAfter: StartFilter | undefined;
  return (recorded) => (isAfter ??= compileSubscriptionStart({ epoch, snapshot, event }))(recorded);
}

interface SubscriptionRow {
  readonly id: string;
  readonly revision: number;
  readonly events: readonly string[];
  readonly environments: readonly string[] | null;
  readonly filter: Record<string, unknown> | null;
  readonly hearsAudit: boolean;
}

/** Matches nothing if the subscription cannot be compiled, so that other webhooks continue. */
function compileOrReject(row: SubscriptionRow, { log }: PlatformServices): Subscriber["matches"] {
  try {
    return compileSubscription(row);
  } catch (error) {
    log.error({ err: error, webhook: row.id }, "the subscription of a webhook can't be parsed");
    return () => false;
  }
}

async function readSubscriptions(
  tx: Tx,
  subscribers: readonly SubscriberRow[],
): Promise<SubscriptionRow[]> {
  if (subscribers.length === 0) return [];
  const { rows } = await sql<SubscriptionRow>`
    select id, revision, events, environments, filter, hears_audit as "hearsAudit" from webhooks
     where id = any(${subscribers.map(({ id }) => id)})`.execute(tx);
  return rows;
}

/** Inserts first deliveries and returns them, without those that already exist. */
export async function insertDeliveries(
  tx: Tx,
  now: Date,
  deliveries: readonly { readonly to: DeliveryTarget; readonly event: RecordedEvent }[],
): Promise<PendingDelivery[]> {
  const pending = deliveries.map(({ to, event }) => firstDelivery(to, event));
  const { rows } = await sql<{ webhook_id: string; id: string }>`
    insert into deliveries
      (webhook_id, id, event_epoch, event_xid, event_seq, event_type, resource_id, url, format,
       status, created_at)
    select *, 'pending', ${now}::timestamptz
      from unnest(${textArray(pending, ({ webhookId }) => webhookId)},
                  ${textArray(pending, ({ id }) => id)},
                  ${pending.map(({ event }) => event.position.epoch)}::smallint[],
                  ${pending.map(({ event }) => String(event.position.xid))}::xid8[],
                  ${pending.map(({ event }) => event.position.seq)}::bigint[],
                  ${textArray(pending, ({ event }) => event.type)},
                  ${textArray(pending, ({ event }) => event.resource.id)},
                  ${textArray(deliveries, ({ to }) => to.url)},
                  ${textArray(pending, ({ format }) => format)})
    on conflict do nothing
    returning webhook_id, id`.execute(tx);
  if (rows.length === pending.length) return pending;
  const written = new Set(rows.map(({ webhook_id, id }) => `${webhook_id} ${id}`));
  return pending.filter(({ webhookId, id }) => written.has(`${webhookId} ${id}`));
}

function textArray<T>(items: readonly T[], textOf: (item: T) => string): RawBuilder<unknown> {
  return sql`${items.map(textOf)}::text[]`;
}
