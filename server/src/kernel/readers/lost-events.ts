import type { Database } from "../db/database.ts";
import { eventIdOf, type LogPosition, positionOf } from "../log/event.ts";
import { type EventRow, positionOfRow } from "../log/event-log.ts";

/** The number of latest events whose loss a process can detect. */
const SEEN_MAX = 1_000;

/** A new epoch of the log, started while this process runs. */
export interface EpochChange {
  readonly epoch: number;
  /** The number of remembered events of earlier epochs. */
  readonly seen: number;
  /** The ids of remembered events that the new primary does not have. */
  readonly lost: readonly string[];
  /** The last remaining event of the earlier epochs, with its time. */
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
 * The latest events seen by a process. After an asynchronous failover the standby can lack acknowledged events,
 * and only a process that saw them can report the loss.
 */
export class SeenEvents {
  /** In the order of arrival. */
  readonly #ids = new Set<string>();

  add(positions: readonly LogPosition[]): void {
    for (const position of positions) this.#ids.add(eventIdOf(position));
    for (const id of this.#ids) {
      if (this.#ids.size <= SEEN_MAX) return;
      this.#ids.delete(id);
    }
  }

  /** Compares with the log at the start of an epoch, and forgets earlier events. */
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
