import type { Database } from "../db/database.ts";

/** Counted up to here, because an exact count of millions takes too long. */
export const BEHIND_MAX = 10_000;

const LAG = `
  select r.name, r.updated_at as "updatedAt",
         (select count(*) from
           (select from events e where (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq) limit ${BEHIND_MAX}) e
         )::int as behind,
         (select count(*) from
           (select from parked_events p where p.reader = r.name limit ${BEHIND_MAX}) p)::int as "deadLetters"
    from readers r order by r.name`;
const QUEUE = `
  select kind, count(*) filter (where failed_at is null and due_at <= $1)::int as due,
         count(*) filter (where failed_at is null and due_at > $1 and claimed_at is null)::int as waiting,
         count(*) filter (where failed_at is null and claimed_at is not null and due_at > $1)::int as running,
         count(*) filter (where failed_at is not null)::int as failed,
         min(due_at) filter (where failed_at is null and due_at <= $1) as "oldestDueAt"
    from jobs group by kind order by kind`;

/** The lag of a reader behind the log. */
export interface ReaderLag {
  readonly name: string;
  readonly updatedAt: string;
  readonly behind: number;
  readonly deadLetters: number;
}

/** The jobs of one kind. */
export interface QueueStatus {
  readonly kind: string;
  /** Jobs that can be claimed now. */
  readonly due: number;
  /** Jobs that are due later. */
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
  readonly oldestDueAt: string | null;
}

export function listReaderLags(db: Database): Promise<ReaderLag[]> {
  return db.system<ReaderLag>(LAG);
}

export function listQueues(db: Database, now: Date): Promise<QueueStatus[]> {
  return db.system<QueueStatus>(QUEUE, [now]);
}
