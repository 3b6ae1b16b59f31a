import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import { callSpan } from "../log/causal-chain.ts";
import { eventIdOf, type RecordedEvent } from "../log/event.ts";
import { type EventRow, positionOfRow, readEventsAt } from "../log/event-log.ts";

/** The maximum amount of event data in memory. */
const BYTES_MAX = 64 * 1_048_576;

/** Events, newest first. Undefined if they exceed the memory limit. */
type ReadEvents = readonly RecordedEvent[] | undefined;

/** Reads all events of a correlation in the transaction's partition. Newest first. */
export async function readChainEvents(
  tx: Tx,
  correlationId: string,
  limit: number,
): Promise<ReadEvents> {
  const { from, to } = callSpan(correlationId);
  return readBounded(
    tx,
    sql`
      (select e.* from events e
             where e.correlation_id = ${correlationId} and e.causation_id is not null
            union all
            select e.* from events e
             where e.correlation_id = ${correlationId} and e.causation_id is null
               and e.created_at between ${from} and ${to})`,
    limit,
  );
}

/** Reads the events of a run or an execution. Newest first. */
export async function readWorkEvents(tx: Tx, makerId: string, limit: number): Promise<ReadEvents> {
  return readBounded(tx, sql`(select e.* from events e where e.made_by = ${makerId})`, limit);
}

/** Events of one transaction are close to each other in the resource's history. */
const NEARBY_EVENTS_MAX = 200;

/** The events about the same resource in the same transaction, including the event itself. */
export async function readTransactionEvents(
  tx: Tx,
  { position, transaction, resource }: RecordedEvent,
): Promise<readonly RecordedEvent[]> {
  const { rows } = await sql<Pick<EventRow, "epoch" | "xid" | "seq">>`
    select e.epoch, e.xid, e.seq
      from (select n.epoch, n.xid, n.seq, n.tx from events n
             where n.resource_id = ${resource.id}
               and (n.epoch, n.xid) >= (${position.epoch}::smallint, ${String(transaction)}::xid8)
             order by n.epoch, n.xid, n.seq limit ${NEARBY_EVENTS_MAX}) e
     where e.epoch = ${position.epoch}::smallint
       and coalesce(e.tx, e.xid) = ${String(transaction)}::xid8`.execute(tx);
  return readEventsAt(tx, rows.map(positionOfRow));
}

const PAGE_EVENTS = 500;

/** Reads in pages up to the limit, because thirty thousand events can be gigabytes. */
async function readBounded(
  tx: Tx,
  source: RawBuilder<unknown>,
  limit: number,
): Promise<ReadEvents> {
  const order = sql`e.epoch desc, e.xid desc, e.seq desc`;
  const { rows } = await sql<Pick<EventRow, "epoch" | "xid" | "seq"> & { readonly size: number }>`
    select e.epoch, e.xid, e.seq, octet_length(e.data::text) as size from ${source} e
     order by ${order} limit ${limit + 1}`.execute(tx);
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  if (rows.length > limit || bytes > BYTES_MAX) return undefined;
  const events: RecordedEvent[] = [];
  for (let start = 0; start < rows.length; start += PAGE_EVENTS) {
    const page = rows.slice(start, start + PAGE_EVENTS);
    const found = await readEventsAt(tx, page.map(positionOfRow));
    const byId = new Map(found.map((event) => [event.id, event]));
    events.push(...page.flatMap((row) => byId.get(eventIdOf(positionOfRow(row))) ?? []));
  }
  return events;
}

/** The number of events per resource. */
export async function countResourceEvents(
  tx: Tx,
  ids: readonly string[],
  types: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; n: number }>`
    select e.resource_id as id, count(*)::int as n from events e
     where e.resource_id = any(${ids}::text[]) and e.type = any(${types}::text[])
     group by e.resource_id`.execute(tx);
  return new Map(rows.map(({ id, n }) => [id, n]));
}
