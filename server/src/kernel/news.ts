import type { Database } from "./db/database.ts";
import type { Position } from "./event.ts";
import { placeOf, SETTLED } from "./log.ts";
import type { Next } from "./loop.ts";
import type { Notice } from "./signal.ts";

const BATCH_EVENTS_MAX = 2_000;
const POLL_MS = 500;
/** How far beyond an open transaction it looks, in batches. */
const UNSETTLED_PAGES_MAX = 10;

const END = `
  select $1::smallint as epoch, pg_snapshot_xmin(pg_current_snapshot()) as xid, 0::bigint as seq`;
const READ = `
  select e.epoch, e.xid, e.seq, e.workspace_id, e.environment, e.topic, e.type, e.resource_id,
         ${SETTLED} as settled
    from events e
   where (e.epoch, e.xid, e.seq) > ($1, $2, $3)
   order by e.epoch, e.xid, e.seq limit $4`;

interface NoticeRow {
  readonly epoch: number;
  readonly xid: string;
  readonly seq: number;
  readonly workspace_id: string;
  readonly environment: string;
  readonly topic: string;
  readonly type: string;
  readonly resource_id: string;
  readonly settled: boolean;
}

/**
 * Tells this process what happens anywhere: the caches that must forget, the readers that wait. One
 * query serves all of them, however many. An event may be told several times, at its commit and again
 * from the log, so listeners must not count.
 */
export class News {
  readonly #db: Database;
  readonly #epoch: number;
  readonly #listeners = new Set<(notice: Notice) => void>();
  #at: Position | undefined;

  constructor(db: Database, epoch: number) {
    this.#db = db;
    this.#epoch = epoch;
  }

  subscribe(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(notices: readonly Notice[]): void {
    for (const notice of notices) for (const listener of this.#listeners) listener(notice);
  }

  /** Tells what came into the log since the last look. */
  async catchUp(): Promise<Next> {
    this.#at ??= await this.#end();
    // All are told at once, but the cursor stops where an older transaction may still add something:
    // what is beyond is told again, and what appears before it is not missed.
    let settled = true;
    let from = this.#at;
    for (let page = 0; page < UNSETTLED_PAGES_MAX; page += 1) {
      const rows = await this.#read(from);
      this.tell(rows.map(toNotice));
      const unsettled: number = settled ? rows.findIndex((row) => !row.settled) : 0;
      const last = unsettled === -1 ? rows.at(-1) : rows[unsettled - 1];
      if (settled && last) this.#at = placeOf(last);
      settled &&= unsettled === -1;
      const end = rows.at(-1);
      if (!end || rows.length < BATCH_EVENTS_MAX) return settled ? POLL_MS : "soon";
      from = placeOf(end);
    }
    return settled ? "again" : "soon";
  }

  #read({ epoch, xid, seq }: Position): Promise<NoticeRow[]> {
    return this.#db.system<NoticeRow>(READ, [epoch, String(xid), seq, BATCH_EVENTS_MAX]);
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
