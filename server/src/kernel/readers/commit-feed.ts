import type { Database } from "../db/database.ts";
import { eventIdOf, type LogPosition } from "../log/event.ts";
import { positionOfRow } from "../log/event-log.ts";
import type { LoopNext } from "../work/loop.ts";
import { type EpochChange, SeenEvents } from "./lost-events.ts";

/** The number of events that one query scans. It returns those in topics with listeners. */
const PAGE_EVENTS_MAX = 10_000;
const POLL_MS = 500;
/** The number of events per page that are remembered as seen. */
const LATEST_MAX = 100;
/** The maximum number of pages to read beyond an open transaction. */
const UNSETTLED_PAGES_MAX = 10;

const END = `
  select epoch, pg_snapshot_xmin(pg_current_snapshot()) as xid, 0::bigint as seq from installation`;
/**
 * The next events in topics with listeners, and always the end of the read and the settled position. The first
 * row contains the positions of the latest events in one text: an array in each row took a tenth of the time
 * under load.
 */
const READ = `
  with passed as materialized
    (select e.epoch, e.xid, e.seq, e.workspace_id, e.environment, e.topic, e.type, e.resource_id,
            e.actor_id
       from events e
      where (e.epoch, e.xid, e.seq) > ($1, $2, $3)
      order by e.epoch, e.xid, e.seq limit $4)
  select (select epoch from installation) as end_epoch,
         pg_snapshot_xmin(pg_current_snapshot()) as end_xid,
         (select count(*)::int from passed) as passed,
         case when row_number() over (order by n.epoch, n.xid, n.seq) = 1 then
           (select string_agg(xid::text || ' ' || seq, ',')
              from (select xid, seq from passed where epoch = $6
                     order by epoch desc, xid desc, seq desc limit $7) as last)
         end as latest,
         l.epoch as at_epoch, l.xid as at_xid, l.seq as at_seq, n.*
    from (values (true)) as always
    left join (select epoch, xid, seq from passed order by epoch desc, xid desc, seq desc limit 1) l
      on true
    left join passed n on n.topic = any($5::text[])
   order by n.epoch, n.xid, n.seq`;

interface PageRow {
  readonly end_epoch: number;
  readonly end_xid: string;
  readonly passed: number;
  /** The transaction ids and numbers of the latest events, newest first, in the last known epoch. */
  readonly latest: string | null;
  /** The position of the newest event. Null without events. */
  readonly at_epoch: number | null;
  readonly at_xid: string;
  readonly at_seq: number;
}

interface NoticeRow {
  readonly epoch: number;
  readonly xid: string;
  readonly seq: number;
  readonly workspace_id: string;
  readonly environment: string;
  readonly topic: string;
  readonly type: string;
  readonly resource_id: string;
  readonly actor_id: string;
}

/** The part of a committed event that caches and waiting readers need. */
export interface CommitNotice {
  readonly type: string;
  readonly topic: string;
  readonly workspace: string;
  readonly environment: string;
  readonly resourceId: string;
  readonly actorId: string;
}

type CommitListener = (notice: CommitNotice) => void;

/**
 * The in-process feed of events committed by any node, for cache invalidation and waiting clients. One query
 * serves all listeners and skips topics without listeners. An event can be announced several times, at its
 * commit and again from the log, so listeners must not count.
 */
export class CommitFeed {
  readonly #db: Database;
  readonly #seen = new SeenEvents();
  /** Called for each new epoch of the log. */
  readonly #onEpoch: (change: EpochChange) => void;
  readonly #listeners = new Map<string, Set<CommitListener>>();
  #at: LogPosition | undefined;
  #settledId = eventIdOf({ epoch: 0, xid: 0, seq: 0 });
  #epoch = 0;
  /** The number of times a topic got its first listener. */
  #topicsAdded = 0;
  /** The start of the next read, if the last one failed or a topic was added during it. */
  #rereadFrom: LogPosition | undefined;

  constructor(db: Database, onEpoch: (change: EpochChange) => void = () => undefined) {
    this.#db = db;
    this.#onEpoch = onEpoch;
  }

  /** The epoch at the last read of the log. 0 before that. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * The settled position at the last read, before which no further events appear: following the log from here
   * misses none.
   */
  get settledId(): string {
    return this.#settledId;
  }

  subscribe(topics: readonly string[], listener: CommitListener): () => void {
    for (const topic of topics) this.#listenersOf(topic).add(listener);
    return () => {
      for (const topic of topics) {
        const listeners = this.#listeners.get(topic);
        listeners?.delete(listener);
        if (listeners?.size === 0) this.#listeners.delete(topic);
      }
    };
  }

  announce(notices: readonly CommitNotice[]): void {
    for (const notice of notices) {
      for (const listener of this.#listeners.get(notice.topic) ?? []) listener(notice);
    }
  }

  /** Announces new events of the log since the last call. */
  async catchUp(): Promise<LoopNext> {
    this.#at ??= await this.#end();
    const start = this.#at;
    let from = (this.#rereadFrom ??= start);
    const added = this.#topicsAdded;
    // All events are announced immediately, but the cursor stops at the first open transaction: later events
    // are announced again, so an event that appears before them is not missed.
    let settled: LogPosition | undefined;
    let more = true;
    for (let page = 0; more && page < UNSETTLED_PAGES_MAX; page += 1) {
      const { end, at, notices, passed } = await this.#read(from);
      this.announce(notices);
      if (end.epoch !== this.#epoch) await this.#compareEpochs(end.epoch);
      // Transactions open during the first page may have committed since.
      settled ??= end;
      from = at;
      more = passed === PAGE_EVENTS_MAX;
      const isBeyond = eventIdOf(from) > eventIdOf(settled);
      this.#at = isBeyond || !more ? settled : from;
    }
    this.#settledId = eventIdOf(this.#at);
    this.#rereadFrom = this.#topicsAdded === added ? undefined : start;
    if (this.#rereadFrom || eventIdOf(from) > eventIdOf(this.#at)) return "soon";
    return more ? "again" : POLL_MS;
  }

  #listenersOf(topic: string): Set<CommitListener> {
    let listeners = this.#listeners.get(topic);
    if (!listeners) {
      this.#listeners.set(topic, (listeners = new Set()));
      this.#topicsAdded += 1;
    }
    return listeners;
  }

  async #read(from: LogPosition) {
    const rows = await this.#db.system<PageRow & (NoticeRow | { readonly topic: null })>(READ, [
      from.epoch,
      String(from.xid),
      from.seq,
      PAGE_EVENTS_MAX,
      [...this.#listeners.keys()],
      this.#epoch,
      LATEST_MAX,
    ]);
    const [first] = rows;
    if (!first) throw new Error("The end of the log can't be read.");
    const { end_epoch, end_xid, passed, latest, at_epoch, at_xid, at_seq } = first;
    const seen = latest?.split(",").toReversed() ?? [];
    this.#seen.add(seen.map((text) => this.#positionInEpoch(text)));
    return {
      end: positionOfRow({ epoch: end_epoch, xid: end_xid, seq: 0 }),
      passed,
      at: at_epoch === null ? from : positionOfRow({ epoch: at_epoch, xid: at_xid, seq: at_seq }),
      notices: rows.filter((row) => row.topic !== null).map(toNotice),
    };
  }

  async #end(): Promise<LogPosition> {
    const [row] = await this.#db.system<Pick<NoticeRow, "epoch" | "xid" | "seq">>(END);
    if (!row) throw new Error("The end of the log can't be read.");
    this.#epoch = row.epoch;
    return positionOfRow(row);
  }

  async #compareEpochs(epoch: number): Promise<void> {
    const change = await this.#seen.compare(this.#db, epoch);
    this.#epoch = epoch;
    this.#onEpoch(change);
  }

  #positionInEpoch(text: string): LogPosition {
    const [xid = 0, seq = 0] = text.split(" ").map(Number);
    return { epoch: this.#epoch, xid, seq };
  }
}

function toNotice({
  type,
  topic,
  workspace_id,
  environment,
  resource_id,
  actor_id,
}: NoticeRow): CommitNotice {
  const ids = { resourceId: resource_id, actorId: actor_id };
  return { type, topic, workspace: workspace_id, environment, ...ids };
}
