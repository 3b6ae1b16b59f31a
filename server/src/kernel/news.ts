import type { Database } from "./db/database.ts";
import { eventIdOf, type Position } from "./event.ts";
import { placeOf } from "./log.ts";
import type { Next } from "./loop.ts";
import type { Notice } from "./signal.ts";

const BATCH_EVENTS_MAX = 2_000;
const POLL_MS = 500;
/** How far beyond an open transaction it looks, in batches. */
const UNSETTLED_PAGES_MAX = 10;

const END = `
  select $1::smallint as epoch, pg_snapshot_xmin(pg_current_snapshot()) as xid, 0::bigint as seq`;
/** With the place before which nothing can appear any more, even when nothing was found. */
const READ = `
  select s.epoch as end_epoch, s.xid as end_xid, n.*
    from (select (select epoch from installation) as epoch,
                 pg_snapshot_xmin(pg_current_snapshot()) as xid) s
    left join lateral
      (select e.epoch, e.xid, e.seq, e.workspace_id, e.environment, e.topic, e.type, e.resource_id
         from events e
        where (e.epoch, e.xid, e.seq) > ($1, $2, $3) and e.topic = any($5::text[])
        order by e.epoch, e.xid, e.seq limit $4) n on true
   order by n.epoch, n.xid, n.seq`;

interface EndRow {
  readonly end_epoch: number;
  readonly end_xid: string;
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
}

/** The one row of a look that found nothing. */
type Nothing = { readonly [Field in keyof NoticeRow]: null };

type Listener = (notice: Notice) => void;

/**
 * Tells this process what happens anywhere: the caches that must forget, the readers that wait. One
 * query serves all of them, however many, and passes over topics that nobody here listens to. An event
 * may be told several times, at its commit and again from the log, so listeners must not count.
 */
export class News {
  readonly #db: Database;
  readonly #epoch: number;
  readonly #listeners = new Map<string, Set<Listener>>();
  #at: Position | undefined;
  /** How often a topic was added to those that somebody listens to. */
  #added = 0;

  constructor(db: Database, epoch: number) {
    this.#db = db;
    this.#epoch = epoch;
  }

  subscribe(topics: readonly string[], listener: Listener): () => void {
    for (const topic of topics) this.#of(topic).add(listener);
    return () => {
      for (const topic of topics) {
        const listeners = this.#listeners.get(topic);
        listeners?.delete(listener);
        if (listeners?.size === 0) this.#listeners.delete(topic);
      }
    };
  }

  tell(notices: readonly Notice[]): void {
    for (const notice of notices) {
      for (const listener of this.#listeners.get(notice.topic) ?? []) listener(notice);
    }
  }

  /** Tells what came into the log since the last look. */
  async catchUp(): Promise<Next> {
    this.#at ??= await this.#end();
    const added = this.#added;
    // All are told at once, but the cursor stops where an older transaction may still add something:
    // what is beyond is told again, and what appears before it is not missed.
    let from = this.#at;
    let settled: Position | undefined;
    for (let page = 0; page < UNSETTLED_PAGES_MAX; page += 1) {
      const { end, rows } = await this.#read(from);
      this.tell(rows.map(toNotice));
      // Whoever began to listen meanwhile may have missed something.
      if (this.#added !== added) return "again";
      // What was open when the first page was read may have appeared there since.
      settled ??= end;
      const last = rows.at(-1);
      if (last) from = placeOf(last);
      const isBeyond = eventIdOf(from) > eventIdOf(settled);
      if (rows.length < BATCH_EVENTS_MAX) {
        this.#at = settled;
        return isBeyond ? "soon" : POLL_MS;
      }
      if (!isBeyond) this.#at = from;
    }
    return this.#at === from ? "again" : "soon";
  }

  #of(topic: string): Set<Listener> {
    let listeners = this.#listeners.get(topic);
    if (!listeners) {
      this.#listeners.set(topic, (listeners = new Set()));
      this.#added += 1;
    }
    return listeners;
  }

  async #read({ epoch, xid, seq }: Position) {
    const topics = [...this.#listeners.keys()];
    const rows = await this.#db.system<EndRow & (NoticeRow | Nothing)>(READ, [
      epoch,
      String(xid),
      seq,
      BATCH_EVENTS_MAX,
      topics,
    ]);
    const [first] = rows;
    if (!first) throw new Error("The end of the log can't be read.");
    return {
      end: placeOf({ epoch: first.end_epoch, xid: first.end_xid, seq: 0 }),
      rows: rows.filter((row) => row.epoch !== null),
    };
  }

  async #end(): Promise<Position> {
    const [row] = await this.#db.system<Pick<NoticeRow, "epoch" | "xid" | "seq">>(END, [
      this.#epoch,
    ]);
    if (!row) throw new Error("The end of the log can't be read.");
    return placeOf(row);
  }
}

function toNotice({ type, topic, workspace_id, environment, resource_id }: NoticeRow): Notice {
  return { type, topic, workspace: workspace_id, environment, resourceId: resource_id };
}
