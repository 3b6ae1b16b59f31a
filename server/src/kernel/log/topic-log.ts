import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import { eventIdOf, type LogPosition, type RecordedEvent } from "./event.ts";
import {
  EVENT_COLUMNS,
  type EventRow,
  LIGHT_EVENT_COLUMNS,
  positionOfRow,
  positionParameter,
  SETTLED_SQL,
  toEvent,
} from "./event-log.ts";

/** The next settled events of some topics. */
export interface TopicBatch {
  readonly events: readonly RecordedEvent[];
  /** True if there are more beyond the limit. */
  readonly hasMore: boolean;
  /** The id of the last committed event that is not settled, if there is one. */
  readonly unsettled: string | undefined;
}

/** Selects the newest events of a partition. */
export interface NewestEvents {
  /** Limits the selection to this topic. */
  readonly topic?: string | undefined;
  readonly hidden: readonly string[];
  readonly before?: LogPosition | undefined;
  readonly limit: number;
  /** True if their data is not needed. */
  readonly light?: boolean;
}

/** Reads the newest events in descending order, including unsettled ones. */
export async function readNewestEvents(
  tx: Tx,
  { topic, hidden, before, limit, light = false }: NewestEvents,
): Promise<RecordedEvent[]> {
  const conditions = [
    sql`e.topic <> all (${hidden}::text[])`,
    ...(topic === undefined ? [] : [sql`e.topic = ${topic}`]),
    ...(before ? [sql`(e.epoch, e.xid, e.seq) < ${positionParameter(before)}`] : []),
  ];
  const { rows } = await sql<EventRow>`
    select ${sql.raw(light ? LIGHT_EVENT_COLUMNS : EVENT_COLUMNS)} from events e where ${sql.join(conditions, sql` and `)}
     order by e.epoch desc, e.xid desc, e.seq desc limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}

/**
 * Reads topics after a position, oldest first. Each topic's first positions are read by its index, and only the
 * first events of all are read completely, so many topics cost little more than one. With a plain `topic = …`
 * the planner can choose the order of the log and scan the events of all workspaces; the row comparison starts
 * at the right position of the matching index.
 */
export async function readTopics(
  tx: Tx,
  topics: readonly string[],
  after: LogPosition,
  limit: number,
): Promise<TopicBatch> {
  const rowsMax = limit + 1;
  const { rows } = await sql<EventRow & { readonly settled: boolean }>`
    select ${sql.raw(EVENT_COLUMNS)}, ${sql.raw(SETTLED_SQL)} as settled
      from (select p.epoch, p.xid, p.seq
              from unnest(${topics}::text[]) as t (topic)
              cross join lateral
                (select e.epoch, e.xid, e.seq from events e
                  where (e.topic, e.epoch, e.xid, e.seq)
                      > (t.topic, ${after.epoch}::smallint, ${String(after.xid)}::xid8, ${after.seq}::bigint)
                    and e.topic <= t.topic
                  order by e.topic, e.epoch, e.xid, e.seq limit ${rowsMax}) p
             order by p.epoch, p.xid, p.seq limit ${rowsMax}) p
      cross join lateral
        (select e.* from events e
          where (e.epoch, e.xid, e.seq) = (p.epoch, p.xid, p.seq) limit 1) e
     order by e.epoch, e.xid, e.seq`.execute(tx);
  const settled = rows.filter((row) => row.settled);
  const visible = rows.slice(0, limit).at(-1);
  return {
    events: settled.slice(0, limit).map(toEvent),
    hasMore: settled.length > limit,
    unsettled: visible && !visible.settled ? eventIdOf(positionOfRow(visible)) : undefined,
  };
}

/** Time ranges for finding the first event after a time: most are recent, and the last covers everything. */
const SPANS = ["10 minutes", "6 hours", "7 days", "100 years"];

/** The position before the first event of the partition since a time. */
export async function readPositionAt(tx: Tx, at: Date): Promise<LogPosition> {
  for (const span of SPANS) {
    const { rows } = await sql<Pick<EventRow, "epoch" | "xid" | "seq">>`
      with near as materialized
        (select e.epoch, e.xid, e.seq from events e
          where e.created_at >= ${at} and e.created_at < ${at}::timestamptz + ${span}::interval)
      select epoch, xid, seq from near order by epoch, xid, seq limit 1`.execute(tx);
    const [row] = rows;
    if (!row) continue;
    const position = positionOfRow(row);
    return { ...position, seq: position.seq - 1 };
  }
  return readLogHead(tx);
}

/** The position after all settled events: a subscription that starts here misses no events. */
export async function readLogHead(tx: Tx): Promise<LogPosition> {
  const { rows } = await sql<Pick<EventRow, "epoch" | "xid" | "seq">>`
    select epoch, pg_snapshot_xmin(pg_current_snapshot()) as xid, 0::bigint as seq
      from installation`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("The end of the log can't be read.");
  return positionOfRow(row);
}

export interface TopicCount {
  readonly name: string;
  readonly events: number;
  readonly lastEventAt: string;
}

export interface TopicListQuery {
  /** The reader that maintains `topic_counts`. */
  readonly reader: string;
  /** An additional topic that combines others. */
  readonly sum: { readonly name: string; readonly of: readonly string[] };
  readonly hidden: readonly string[];
  readonly after: string;
  readonly limit: number;
}

/**
 * The topics of a partition by name. The counts up to the reader's cursor and the events after it are read in
 * one statement and snapshot, so the sums are exact for every cursor.
 */
export async function listTopics(tx: Tx, query: TopicListQuery): Promise<TopicCount[]> {
  const { reader, sum, hidden, after, limit } = query;
  const { rows } = await sql<{ name: string; events: number; last_event_at: string }>`
    with place as (
      select coalesce(r.epoch, 0::smallint) as epoch, coalesce(r.xid, '0'::xid8) as xid,
             coalesce(r.seq, 0) as seq
        from installation left join readers r on r.name = ${reader}
    ), parts as (
      select topic, events, last_event_at from topic_counts where topic = any(${sum.of}::text[])
      union all
      (select topic, events, last_event_at from topic_counts
        where topic > ${after} and topic <> all(${[...sum.of, ...hidden]}::text[]) and events > 0
        order by topic limit ${limit})
      union all
      select e.topic, count(*), max(e.created_at) from events e, place p
       where (e.epoch, e.xid, e.seq) > (p.epoch, p.xid, p.seq) group by e.topic
    ), topics as (
      select topic, sum(events) as events, max(last_event_at) as last_event_at from parts
       where topic <> all(${hidden}::text[]) group by topic having sum(events) > 0
    ), listed as (
      select topic, events, last_event_at from topics
      union all
      select ${sum.name}::text collate "C", sum(events), max(last_event_at) from topics
       where topic = any(${sum.of}::text[]) having count(*) > 0
    )
    select topic as name, events::bigint as events, last_event_at from listed
     where topic > ${after} order by topic limit ${limit}`.execute(tx);
  return rows.map(({ last_event_at, ...row }) => ({ ...row, lastEventAt: last_event_at }));
}

/** Counts unread events on these topics in the partition, up to `countMax`. */
export async function countUnread(
  tx: Tx,
  readers: readonly string[],
  { topics, countMax }: { readonly topics: readonly string[]; readonly countMax: number },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ name: string; unread: number }>`
    select r.name, (select count(*)::int from
             (select from events e where (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq)
                 and e.topic = any (${topics}::text[]) limit ${countMax}) e) as unread
      from readers r where r.name = any (${readers}::text[])`.execute(tx);
  return new Map(rows.map(({ name, unread }) => [name, unread]));
}
