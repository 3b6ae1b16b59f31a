import type { EventTypeCount, Platform } from "../contract.ts";
import type { Partition, Transaction } from "../db/database.ts";
import { partitionName } from "../db/partition.ts";
import { eventIdOf, type LogPosition, type RecordedEvent } from "../log/event.ts";
import {
  EVENT_COLUMNS,
  type EventRow,
  positionOfRow,
  SETTLED_SQL,
  toEvent,
} from "../log/event-log.ts";

/** The next settled events of the log. */
export interface EventBatch {
  /** The cursor of the slowest reader. */
  readonly from: LogPosition;
  /** The new cursor position: the last event, or the end of the batch. Undefined if there are no events to read. */
  readonly last: LogPosition | undefined;
  readonly count: number;
  /** True if unsettled events follow. */
  readonly unsettled: boolean;
  readonly parts: readonly BatchPart[];
}

/** The maximum number of events in a batch. */
export const BATCH_EVENTS_MAX = 500;

/**
 * The cursor of the slowest reader in a group, and the summary of the following batch: one row per event type
 * and partition.
 */
const summarySql = (bound: string): string => `
  with hindmost as
    (select epoch, xid, seq from readers where name = any($1::text[]) order by epoch, xid, seq limit 1),
  batch as materialized
    (select e.*
       from hindmost h
      cross join lateral
        (select e.epoch, e.xid, e.seq, e.workspace_id, e.environment, e.topic, e.type, e.created_at
           from events e
          where (e.epoch, e.xid, e.seq) > (h.epoch, h.xid, h.seq) and ${SETTLED_SQL} ${bound}
          order by e.epoch, e.xid, e.seq limit $2) e)
  select h.epoch as at_epoch, h.xid as at_xid, h.seq as at_seq,
         pg_snapshot_xmin(pg_current_snapshot()) < pg_snapshot_xmax(pg_current_snapshot()) as unsettled,
         l.epoch, l.xid, l.seq,
         k.workspace_id, k.environment, k.topic, k.type, k.count, k.last_at
    from hindmost h
    left join (select epoch, xid, seq from batch order by epoch desc, xid desc, seq desc limit 1) l
      on true
    left join
      (select workspace_id, environment, topic, type, count(*)::int as count, max(created_at) as last_at
         from batch group by workspace_id, environment, topic, type) k on true`;
const READ_SUMMARY = summarySql("");
const READ_SUMMARY_UNTIL = summarySql("and (e.epoch, e.xid, e.seq) <= ($3, $4, $5)");

interface CursorRow {
  readonly at_epoch: number;
  readonly at_xid: string;
  readonly at_seq: number;
  readonly unsettled: boolean;
}

/** Null in the single row of readers without new events. */
type SummaryRow = Pick<EventRow, "epoch" | "xid" | "seq" | "workspace_id" | "environment"> & {
  readonly topic: string;
  readonly type: string;
  readonly count: number;
  readonly last_at: string;
};

type NoSummary = { readonly [Field in keyof SummaryRow]: null };

/** The limits of a batch. */
export interface BatchLimits {
  readonly eventsMax: number;
  /**
   * The latest end of the batch, and its exact end unless it is full, because a cursor can be between events. A
   * reader has passed it, so all events before it are settled.
   */
  readonly until?: LogPosition | undefined;
}

/** Reads the next batch for the readers of these names. `isExpected` selects the types that will be read. */
export async function readBatch(
  { db }: Platform,
  names: readonly string[],
  { eventsMax, until }: BatchLimits,
  isExpected: (type: string) => boolean,
): Promise<EventBatch> {
  const bound = until ? [until.epoch, String(until.xid), until.seq] : [];
  const rows = await db.system<CursorRow & (SummaryRow | NoSummary)>(
    until ? READ_SUMMARY_UNTIL : READ_SUMMARY,
    [names, eventsMax, ...bound],
  );
  const [first] = rows;
  if (!first) throw new Error(`No reader is registered: ${names.join(", ")}.`);
  const from = { epoch: first.at_epoch, xid: Number(first.at_xid), seq: first.at_seq };
  const { unsettled } = first;
  // Another process may have moved the cursor further. Cursors never move back.
  const isBehind = until !== undefined && eventIdOf(from) < eventIdOf(until);
  if (first.epoch === null) {
    return { from, last: isBehind ? until : undefined, count: 0, unsettled, parts: [] };
  }
  const summaries = rows.filter((row) => row.epoch !== null);
  const count = summaries.reduce((sum, row) => sum + row.count, 0);
  const last = until && count < eventsMax ? until : positionOfRow(first);
  const groups = Map.groupBy(summaries, (row) => `${row.workspace_id} ${row.environment}`);
  // Sorted, because each can lock rows until the end: two nodes then wait for each other without a deadlock.
  const expected = [...new Set(summaries.map(({ type }) => type).filter(isExpected))];
  const events = new BatchEvents(db, { from, last }, expected);
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = sorted.map(([, group]) => new BatchPart(events, group, sorted.length === 1));
  return { from, last, count, unsettled, parts };
}

/** The limit is never reached. It shows the planner that few rows are between the two positions. */
const READ_EVENTS = `
  select ${EVENT_COLUMNS} from events e
   where (e.epoch, e.xid, e.seq) > ($1, $2, $3) and (e.epoch, e.xid, e.seq) <= ($4, $5, $6)
     and e.type = any($7::text[])
   order by e.epoch, e.xid, e.seq limit ${BATCH_EVENTS_MAX}`;

/** The events of a batch. Read by type for all parts together. */
export class BatchEvents {
  readonly #db: Platform["db"];
  readonly #bounds: { readonly from: LogPosition; readonly last: LogPosition };
  /** The types that readers will read. All are loaded with the first read. */
  readonly #expectedTypes: readonly string[];
  readonly #byType = new Map<string, ReadonlyMap<string, readonly RecordedEvent[]>>();

  constructor(
    db: Platform["db"],
    bounds: { readonly from: LogPosition; readonly last: LogPosition },
    expectedTypes: readonly string[],
  ) {
    this.#db = db;
    this.#bounds = bounds;
    this.#expectedTypes = expectedTypes;
  }

  /** The events of these types in one partition, one list per type. With a session, reads in its transaction. */
  async read(
    partition: Partition,
    types: readonly string[],
    session: Transaction | undefined,
  ): Promise<(readonly RecordedEvent[])[]> {
    const missing = types.filter((type) => !this.#byType.has(type));
    if (missing.length > 0) await this.#load([...missing, ...this.#expectedTypes], session);
    const name = partitionName(partition);
    return [...new Set(types)].map((type) => this.#byType.get(type)?.get(name) ?? []);
  }

  async #load(types: readonly string[], session: Transaction | undefined): Promise<void> {
    const unread = [...new Set(types)].filter((type) => !this.#byType.has(type));
    const { from, last } = this.#bounds;
    const positions = [from, last].flatMap(({ epoch, xid, seq }) => [epoch, String(xid), seq]);
    const values = [...positions, unread];
    const rows = session
      ? await session.send<EventRow>(READ_EVENTS, values)
      : await this.#db.system<EventRow>(READ_EVENTS, values);
    const byType = Map.groupBy(rows.map(toEvent), ({ type }) => type);
    for (const type of unread) {
      this.#byType.set(type, Map.groupBy(byType.get(type) ?? [], partitionName));
    }
  }
}

export class BatchPart {
  readonly partition: Partition;
  readonly counts: readonly EventTypeCount[];
  readonly #events: BatchEvents;
  readonly #isOnly: boolean;

  constructor(events: BatchEvents, rows: readonly SummaryRow[], isOnly: boolean) {
    const [first] = rows;
    if (!first) throw new Error("A part of a batch is never empty.");
    this.partition = { workspace: first.workspace_id, environment: first.environment };
    this.counts = rows.map(({ topic, type, count, last_at: lastAt }) => ({
      topic,
      type,
      count,
      lastAt,
    }));
    this.#events = events;
    this.#isOnly = isOnly;
  }

  /** Returns the events of these types in order. The transaction must use this partition. */
  async events(session: Transaction, types: readonly string[]): Promise<readonly RecordedEvent[]> {
    const lists = await this.#events.read(
      this.partition,
      types,
      this.#isOnly ? session : undefined,
    );
    return lists.length === 1 ? (lists[0] ?? []) : lists.flat().toSorted(byPosition);
  }
}

/** Ids sort like the log. */
function byPosition(left: RecordedEvent, right: RecordedEvent): number {
  return left.id < right.id ? -1 : 1;
}
