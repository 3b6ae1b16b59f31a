import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Tx } from "../db/connection.ts";
import { newId, timeOfId } from "../schema/id.ts";
import { type LogPosition, positionOf, type RecordedEvent } from "./event.ts";
import {
  EVENT_COLUMNS,
  type EventRow,
  findEvent,
  LIGHT_EVENT_COLUMNS,
  positionParameter,
  toEvent,
} from "./event-log.ts";

/** All events caused by one call. */
export interface CausalChain {
  /** The first event of the chain. */
  readonly rootId: string;
  readonly correlationId: string;
  /** In the order of the log. */
  readonly events: readonly RecordedEvent[];
  readonly truncated: boolean;
}

/**
 * The causal chain of an event. Caused events are found by their correlation id. Events without a cause are not
 * indexed; they are found as causes, with the other events of their transaction.
 */
export async function readCausalChain(
  tx: Tx,
  event: RecordedEvent,
  eventsMax: number,
): Promise<CausalChain> {
  const { correlationId } = event;
  const caused = await readCaused(tx, correlationId, eventsMax + 1);
  const causedIds = new Set(caused.map(({ id }) => id));
  const causes = new Set([event, ...caused].map(({ id, causationId }) => causationId ?? id));
  const roots = [...causes].filter((id) => !causedIds.has(id)).map(positionOf);
  const uncaused = await readUncaused(
    tx,
    correlationId,
    roots.filter((position) => position !== undefined),
    eventsMax + 1,
  );
  const all = [...uncaused, ...caused].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    rootId: await findRoot(tx, event, new Map(all.map((recorded) => [recorded.id, recorded]))),
    correlationId,
    events: all.slice(0, eventsMax),
    truncated: all.length > eventsMax,
  };
}

async function readCaused(tx: Tx, correlationId: string, limit: number): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)} from events e
     where e.correlation_id = ${correlationId} and e.causation_id is not null
     order by e.epoch, e.xid, e.seq limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}

/** Limits for reading the log for a trace. */
export interface TraceWindow {
  readonly eventsMax: number;
  /** Only events after this position. */
  readonly after?: LogPosition | undefined;
}

/** Reads the caused events of every correlation without their data, in log order. Also returns if more exist. */
export async function readCausedEvents(
  tx: Tx,
  correlationIds: readonly string[],
  { eventsMax, after }: TraceWindow,
): Promise<{ readonly events: readonly RecordedEvent[]; readonly truncated: boolean }> {
  const start = after ? sql`and (e.epoch, e.xid, e.seq) > ${positionParameter(after)}` : sql``;
  const { rows } = await sql<EventRow>`
    select ${sql.raw(LIGHT_EVENT_COLUMNS)}
      from unnest(${correlationIds}::text[]) as c (id)
     cross join lateral
           (select e.* from events e
             where e.correlation_id = c.id and e.causation_id is not null ${start}
             order by e.epoch, e.xid, e.seq limit ${eventsMax + 1}) e
     order by e.epoch, e.xid, e.seq limit ${eventsMax + 1}`.execute(tx);
  return { events: rows.slice(0, eventsMax).map(toEvent), truncated: rows.length > eventsMax };
}

/** The events made by runs and executions without their data, oldest first. */
export async function readMadeEvents(
  tx: Tx,
  makerIds: readonly string[],
  { eventsMax }: TraceWindow,
): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(LIGHT_EVENT_COLUMNS)}
      from unnest(${makerIds}::text[]) as m (id)
     cross join lateral
           (select e.* from events e where e.made_by = m.id
             order by e.epoch, e.xid, e.seq limit ${eventsMax}) e
     limit ${eventsMax}`.execute(tx);
  return rows.map(toEvent);
}

/**
 * The events at some positions without their data, and the uncaused events of the same transactions and
 * correlations.
 */
export async function readCauses(
  tx: Tx,
  ids: readonly string[],
  { eventsMax }: TraceWindow,
): Promise<RecordedEvent[]> {
  const positions = ids.map(positionOf).filter((position) => position !== undefined);
  const { rows } = await sql<EventRow>`
    with cause as materialized (${positionRows(positions)}),
         act as (select distinct epoch, tx, correlation_id from cause where causation_id is null
                  order by epoch, tx limit ${ACTS_MAX})
    select distinct on (e.epoch, e.xid, e.seq) ${sql.raw(LIGHT_EVENT_COLUMNS)}
      from (select e.* from cause c cross join lateral
              (select * from events e where (e.epoch, e.xid, e.seq) = (c.epoch, c.xid, c.seq) limit 1) e
            union all
            select e.* from act cross join lateral
              (select e.* from events e where (e.epoch, e.xid) >= (act.epoch, act.tx)
                order by e.epoch, e.xid, e.seq limit ${NEARBY_EVENTS_MAX}) e
             where coalesce(e.tx, e.xid) = act.tx and e.epoch = act.epoch
               and e.correlation_id = act.correlation_id and e.causation_id is null) e
     order by e.epoch, e.xid, e.seq limit ${eventsMax}`.execute(tx);
  return rows.map(toEvent);
}

function positionRows(positions: readonly LogPosition[]) {
  return sql`select e.epoch, e.xid, e.seq, coalesce(e.tx, e.xid) as tx, e.correlation_id, e.causation_id
    from unnest(${positions.map(({ epoch }) => epoch)}::smallint[],
                ${positions.map(({ xid }) => String(xid))}::xid8[],
                ${positions.map(({ seq }) => seq)}::bigint[]) as p (epoch, xid, seq)
   cross join lateral
         (select * from events e where (e.epoch, e.xid, e.seq) = (p.epoch, p.xid, p.seq) limit 1) e`;
}

/** Events of one transaction are adjacent, except for interleaved events from others. */
const NEARBY_EVENTS_MAX = 5_000;
/**
 * The maximum number of transactions whose other events are read. A script can have thousands, which are
 * already known.
 */
const ACTS_MAX = 100;

/** The uncaused events of the transactions at these positions. */
async function readUncaused(
  tx: Tx,
  correlationId: string,
  positions: readonly LogPosition[],
  limit: number,
): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)}
      from (select distinct e.epoch, coalesce(e.tx, e.xid) as tx from unnest(
              ${positions.map(({ epoch }) => epoch)}::smallint[],
              ${positions.map(({ xid }) => String(xid))}::xid8[],
              ${positions.map(({ seq }) => seq)}::bigint[]) as p (epoch, xid, seq)
              join events e on (e.epoch, e.xid, e.seq) = (p.epoch, p.xid, p.seq)) act
     cross join lateral
           (select e.* from events e where (e.epoch, e.xid) >= (act.epoch, act.tx)
             order by e.epoch, e.xid, e.seq limit ${NEARBY_EVENTS_MAX}) e
     where coalesce(e.tx, e.xid) = act.tx and e.epoch = act.epoch
       and e.correlation_id = ${correlationId} and e.causation_id is null
     order by e.epoch, e.xid, e.seq limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}

/** Chains are short, see `CAUSATION_DEPTH_MAX`. If the root was deleted, the chain starts at its oldest event. */
async function findRoot(
  tx: Tx,
  event: RecordedEvent,
  known: ReadonlyMap<string, RecordedEvent>,
): Promise<string> {
  let at = event;
  for (;;) {
    if (at.causationId === null) return at.id;
    const position = positionOf(at.causationId);
    const cause = known.get(at.causationId) ?? (position && (await findEvent(tx, position)));
    if (!cause || cause.id >= at.id) return at.id;
    at = cause;
  }
}

/**
 * The id of a new causal chain. It contains the time of the clock that dates the events, which can differ from
 * this process's clock: `callSpan` uses it to find them.
 */
export function newCorrelationId(clock: Pick<Clock, "nowMs">): string {
  return newId("cor", clock.nowMs());
}

/** An event without a cause belongs to the call that started its correlation. A call is shorter than this. */
const CALL_MS_MAX = 180_000;
/** The clock is synchronised with the database repeatedly and can go back by less than this. */
const SKEW_MS = 5_000;

/** The time range in which the call that started a correlation wrote its events. */
export function callSpan(correlationId: string): { readonly from: string; readonly to: string } {
  const begin = timeOfId(correlationId);
  return {
    from: new Date(begin - SKEW_MS).toISOString(),
    to: new Date(begin + CALL_MS_MAX).toISOString(),
  };
}
