import { sql } from "kysely";
import type { Position } from "./event.ts";

/** From when on somebody hears. */
export interface Since {
  readonly epoch: number;
  /** What it shows is past. As PostgreSQL writes it: `xmin:xmax:` and the transactions between them under way. */
  readonly snapshot: string;
  /** The last number that an event had been given by then. */
  readonly seq: number;
}

/** The columns that keep it, for a statement that reads them. */
export interface SinceRow {
  readonly since_epoch: number;
  readonly since: string;
  readonly since_seq: number;
}

/** What such columns are set to by who hears from now on. */
export const FROM_NOW = {
  since: sql<string>`pg_current_snapshot()`,
  since_seq: sql<number>`coalesce(pg_sequence_last_value('events_seq_seq'), 0)`,
} as const;

/**
 * Whether an event came after that moment. One at the end of the snapshot may be of the transaction that
 * was over last, or have been appended right after it: those have higher numbers.
 */
export function compileSince({ epoch, snapshot, seq }: Since): (place: Position) => boolean {
  const [, end = "0", others = ""] = snapshot.split(":");
  const last = Number(end) - 1;
  const underWay = new Set(others.split(",").map(Number));
  const isPast = (place: Position): boolean =>
    place.xid <= last && !underWay.has(place.xid) && (place.xid < last || place.seq <= seq);
  return (place) => place.epoch > epoch || (place.epoch === epoch && !isPast(place));
}

export function sinceOf({ since_epoch, since, since_seq }: SinceRow): Since {
  return { epoch: since_epoch, snapshot: since, seq: since_seq };
}
