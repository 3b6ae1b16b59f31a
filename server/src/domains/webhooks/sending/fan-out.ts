import { type RawBuilder, sql } from "kysely";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { visibilityContext } from "#kernel/log/event-visibility.ts";
import { reader } from "#kernel/readers/reader.ts";
import { compileSubscriptionStart, type StartFilter } from "#kernel/log/subscription-start.ts";
import { compileSubscription } from "./subscription.ts";
import { type DeliveryTarget, firstDelivery, type PendingDelivery } from "./pending-delivery.ts";
import type { PayloadFormat } from "./payload.ts";
import { visibilityIn } from "./visibility.ts";
import { sender } from "./sender.ts";
import { FAN_OUT_READER, DELIVERIES_DUE_SIGNAL } from "./pending-delivery.ts";

/**
 * From the log to deliveries. The rows commit together with the cursor, so that each event is handed
 * out exactly once; sending them is somebody else's work. When this process sends for the webhook, it
 * gets them straight from here and need not look for them in the database.
 */
export const fanOutReader = reader({
  name: FAN_OUT_READER,
  on: ["*"],
  startsAt: "end",
  async handleSummary(ctx, kinds) {
    const { tx, now, services, continuous, onCommit } = ctx;
    // Another node has handed out meanwhile, perhaps to a webhook that this one sends for.
    if (!continuous) services.engineOf(sender)?.rescan();
    const listeners = await listenersIn(tx, services);
    const listenersOf = byType(listeners);
    const types = kinds.map(({ type }) => type).filter((type) => listenersOf(type).length > 0);
    if (types.length === 0) return;
    const told = (await ctx.events(types)).filter(({ depth }) => depth <= CAUSATION_DEPTH_MAX);
    const heard = await visibilityIn(tx, visibilityContext(ctx), told, () =>
      listeners.map(({ id }) => id),
    );
    const deliveries = told.flatMap((one) =>
      listenersOf(one.type).flatMap((to) => {
        const event = heard(one, to.id);
        return event && to.wants(event) && to.hearsFrom(event) ? [{ to, event }] : [];
      }),
    );
    if (deliveries.length === 0) return;
    const made = await insertDeliveries(tx, now, deliveries);
    onCommit(() => {
      const left = services.engineOf(sender)?.enqueue(made) ?? made.length;
      if (left > 0) services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL);
    });
  },
});

interface Listener extends DeliveryTarget {
  /** The types that it wants, where it names them all. */
  readonly types: readonly string[] | undefined;
  readonly wants: (event: RecordedEvent) => boolean;
  readonly hearsFrom: StartFilter;
}

/** Most webhooks name their types: of a thousand, few are then asked about an event. */
function byType(listeners: readonly Listener[]): (type: string) => readonly Listener[] {
  const named = new Map<string, Listener[]>();
  const others: Listener[] = [];
  for (const listener of listeners) {
    if (!listener.types) others.push(listener);
    for (const type of new Set(listener.types)) {
      named.set(type, [...(named.get(type) ?? []), listener]);
    }
  }
  return (type) => [...(named.get(type) ?? []), ...others];
}

interface ListenerRow {
  readonly id: string;
  readonly lane: number;
  readonly url: string;
  readonly format: PayloadFormat;
  readonly revision: number;
  readonly since_epoch: number;
  readonly since: string;
  readonly since_event: string | null;
}

/** Compiled subscriptions by webhook and revision, for each kernel of this process. */
const compiled = new WeakMap<PlatformServices, Map<string, Compiled>>();
type Compiled = Pick<Listener, "wants" | "types"> & { readonly revision: number };
const COMPILED_MAX = 20_000;

/** The webhooks of this workspace that hear now. Read each time: a change counts from its commit on. */
async function listenersIn(tx: Tx, services: PlatformServices): Promise<Listener[]> {
  const { rows } = await sql<ListenerRow>`
    select id, lane, url, format, revision, since_epoch, since::text as since, since_event
      from webhooks where status = 'active' and place_xid is null order by id`.execute(tx);
  const known = compiled.get(services) ?? new Map<string, Compiled>();
  compiled.set(services, known);
  if (known.size > COMPILED_MAX) known.clear();
  const missing = rows.filter(({ id, revision }) => known.get(id)?.revision !== revision);
  if (missing.length > 0) services.engineOf(sender)?.markBacklog(missing);
  for (const row of await subscriptionsOf(tx, missing)) {
    const types = row.events.some((pattern) => pattern.includes("*")) ? undefined : row.events;
    known.set(row.id, { revision: row.revision, types, wants: compiledOf(row, services) });
  }
  return rows.flatMap((row) => {
    const compiledOne = known.get(row.id);
    if (!compiledOne) return [];
    const { wants, types } = compiledOne;
    return [{ ...row, wants, types, hearsFrom: hearingSince(row) }];
  });
}

/** Few of a batch's events are near enough to a webhook's beginning for this to matter. */
function hearingSince({
  since_epoch: epoch,
  since: snapshot,
  since_event: event,
}: ListenerRow): StartFilter {
  let hears: StartFilter | undefined;
  return (one) => (hears ??= compileSubscriptionStart({ epoch, snapshot, event }))(one);
}

interface SubscriptionRow {
  readonly id: string;
  readonly revision: number;
  readonly events: readonly string[];
  readonly environments: readonly string[] | null;
  readonly filter: Record<string, unknown> | null;
  readonly hearsAudit: boolean;
}

/** One that can't be understood, as after a change of the language, hears nothing; the others do. */
function compiledOf(row: SubscriptionRow, { log }: PlatformServices): Listener["wants"] {
  try {
    return compileSubscription(row);
  } catch (error) {
    log.error({ err: error, webhook: row.id }, "a webhook's subscription can't be understood");
    return () => false;
  }
}

async function subscriptionsOf(tx: Tx, wanted: readonly ListenerRow[]): Promise<SubscriptionRow[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<SubscriptionRow>`
    select id, revision, events, environments, filter, hears_audit as "hearsAudit" from webhooks
     where id = any(${wanted.map(({ id }) => id)})`.execute(tx);
  return rows;
}

/** Writes first deliveries; those that exist already are left alone, and left out of the answer. */
export async function insertDeliveries(
  tx: Tx,
  now: Date,
  deliveries: readonly { readonly to: DeliveryTarget; readonly event: RecordedEvent }[],
): Promise<PendingDelivery[]> {
  const outgoing = deliveries.map(({ to, event }) => firstDelivery(to, event));
  const { rows } = await sql<{ webhook_id: string; id: string }>`
    insert into deliveries
      (webhook_id, id, event_epoch, event_xid, event_seq, event_type, resource_id, url, format,
       status, created_at)
    select *, 'pending', ${now}::timestamptz
      from unnest(${texts(outgoing, (one) => one.webhookId)},
                  ${texts(outgoing, (one) => one.id)},
                  ${outgoing.map(({ event }) => event.position.epoch)}::smallint[],
                  ${outgoing.map(({ event }) => String(event.position.xid))}::xid8[],
                  ${outgoing.map(({ event }) => event.position.seq)}::bigint[],
                  ${texts(outgoing, ({ event }) => event.type)},
                  ${texts(outgoing, ({ event }) => event.resource.id)},
                  ${texts(deliveries, ({ to }) => to.url)},
                  ${texts(outgoing, (one) => one.format)})
    on conflict do nothing
    returning webhook_id, id`.execute(tx);
  if (rows.length === outgoing.length) return outgoing;
  const written = new Set(rows.map(({ webhook_id, id }) => `${webhook_id} ${id}`));
  return outgoing.filter(({ webhookId, id }) => written.has(`${webhookId} ${id}`));
}

function texts<T>(items: readonly T[], of: (item: T) => string): RawBuilder<unknown> {
  return sql`${items.map(of)}::text[]`;
}
