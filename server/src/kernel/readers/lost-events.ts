import type { Database } from "../db/database.ts";
import { eventIdOf, type LogPosition, positionOf } from "../log/event.ts";
import { type EventRow, positionOfRow } from "../log/event-log.ts";

/** How many of the latest events a process can miss later. */
const SEEN_MAX = 1_000;

/** A new epoch of the log, as a process that lived through its beginning sees it. */
export interface EpochChange {
  readonly epoch: number;
  /** How many events of the epochs before it this process remembers. */
  readonly seen: number;
  /** Those of them that are gone, by id: a standby took over without them. */
  readonly lost: readonly string[];
  /** The last event that is left of the epochs before, and when it happened. */
  readonly last: { readonly id: string; readonly at: string } | undefined;
}

const MISSING = `
  select place.epoch, place.xid, place.seq
    from unnest($1::smallint[], $2::xid8[], $3::bigint[]) as place (epoch, xid, seq)
   where not exists (select from events e where (e.epoch, e.xid, e.seq) = (place.epoch, place.xid, place.seq))
   order by place.epoch, place.xid, place.seq`;
const LAST = `
  select epoch, xid, seq, created_at from events where epoch < $1
   order by epoch desc, xid desc, seq desc limit 1`;

type PositionRow = Pick<EventRow, "epoch" | "xid" | "seq">;

/**
 * The latest events that a process has seen. A standby that takes over asynchronously lacks some that were
 * acknowledged; nothing in the database tells of them any more, so those who saw them must.
 */
export class SeenEvents {
  /** In the order in which they were seen. */
  readonly #ids = new Set<string>();

  add(positions: readonly LogPosition[]): void {
    for (const position of positions) this.#ids.add(eventIdOf(position));
    for (const id of this.#ids) {
      if (this.#ids.size <= SEEN_MAX) return;
      this.#ids.delete(id);
    }
  }

  /** Compares with the log at the beginning of an epoch, and forgets what came before it. */
  async compare(db: Database, epoch: number): Promise<EpochChange> {
    const seen = [...this.#ids].flatMap((id) => positionOf(id) ?? []);
    const before = seen.filter((position) => position.epoch < epoch);
    const lost = await db.system<PositionRow>(MISSING, [
      before.map((position) => position.epoch),
      before.map(({ xid }) => String(xid)),
      before.map(({ seq }) => seq),
    ]);
    const [last] = await db.system<PositionRow & { created_at: string }>(LAST, [epoch]);
    for (const position of before) this.#ids.delete(eventIdOf(position));
    return {
      epoch,
      seen: before.length,
      lost: lost.map((row) => eventIdOf(positionOfRow(row))),
      last: last && { id: eventIdOf(positionOfRow(last)), at: last.created_at },
    };
  }
}
