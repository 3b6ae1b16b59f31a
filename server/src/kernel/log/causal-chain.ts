import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import { type LogPosition, positionOf, type RecordedEvent } from "./event.ts";
import { EVENT_COLUMNS, type EventRow, findEvent, toEvent } from "./event-log.ts";

/** Everything that one call brought about. */
export interface CausalChain {
  /** The event that the asked one goes back to; itself when nothing caused it. */
  readonly rootId: string;
  readonly correlationId: string;
  /** In the order of the log. */
  readonly events: readonly RecordedEvent[];
  readonly truncated: boolean;
}

/**
 * The chain that an event belongs to. What was caused is found by its correlation. What nothing caused
 * is in no index; it is found as the cause of something, together with what its transaction wrote.
 */
export async function readCausalChain(
  tx: Tx,
  asked: RecordedEvent,
  eventsMax: number,
): Promise<CausalChain> {
  const { correlationId } = asked;
  const caused = await causedIn(tx, correlationId, eventsMax + 1);
  const known = new Set(caused.map(({ id }) => id));
  const causes = new Set([asked, ...caused].map(({ id, causationId }) => causationId ?? id));
  const beginnings = [...causes].filter((id) => !known.has(id)).map(positionOf);
  const uncaused = await uncausedIn(
    tx,
    correlationId,
    beginnings.filter((place) => place !== undefined),
    eventsMax + 1,
  );
  const all = [...uncaused, ...caused].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    rootId: await rootOf(tx, asked, new Map(all.map((one) => [one.id, one]))),
    correlationId,
    events: all.slice(0, eventsMax),
    truncated: all.length > eventsMax,
  };
}

async function causedIn(tx: Tx, correlationId: string, limit: number): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)} from events e
     where e.correlation_id = ${correlationId} and e.causation_id is not null
     order by e.epoch, e.xid, e.seq limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}

/** What one transaction wrote stands together, but for what others wrote meanwhile. */
const NEAR_EVENTS_MAX = 5_000;

/** What the transactions of these places wrote without a cause. */
async function uncausedIn(
  tx: Tx,
  correlationId: string,
  places: readonly LogPosition[],
  limit: number,
): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)}
      from (select distinct e.epoch, coalesce(e.tx, e.xid) as tx from unnest(
              ${places.map(({ epoch }) => epoch)}::smallint[],
              ${places.map(({ xid }) => String(xid))}::xid8[],
              ${places.map(({ seq }) => seq)}::bigint[]) as p (epoch, xid, seq)
              join events e on (e.epoch, e.xid, e.seq) = (p.epoch, p.xid, p.seq)) act
     cross join lateral
           (select e.* from events e where (e.epoch, e.xid) >= (act.epoch, act.tx)
             order by e.epoch, e.xid, e.seq limit ${NEAR_EVENTS_MAX}) e
     where coalesce(e.tx, e.xid) = act.tx and e.epoch = act.epoch
       and e.correlation_id = ${correlationId} and e.causation_id is null
     order by e.epoch, e.xid, e.seq limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}

/** Chains are short, see `DEPTH_MAX`. One whose beginning is no longer kept ends where it is kept. */
async function rootOf(
  tx: Tx,
  asked: RecordedEvent,
  known: ReadonlyMap<string, RecordedEvent>,
): Promise<string> {
  let at = asked;
  for (;;) {
    if (at.causationId === null) return at.id;
    const place = positionOf(at.causationId);
    const cause = known.get(at.causationId) ?? (place && (await findEvent(tx, place)));
    if (!cause || cause.id >= at.id) return at.id;
    at = cause;
  }
}
