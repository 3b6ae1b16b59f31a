import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import type { Database } from "../db/database.ts";
import type { LogPosition, RecordedEvent } from "./event.ts";
import {
  EVENT_COLUMNS,
  type EventRow,
  positionOfRow,
  toEvent,
  positionParameter,
} from "./event-log.ts";

/** A range of the log: after one position, up to and including another. */
export interface LogRange {
  readonly after: LogPosition;
  /** At most a reader's cursor, before which no further events appear. */
  readonly upTo: LogPosition;
}

type PositionRow = Pick<EventRow, "epoch" | "xid" | "seq">;

/** Reads each environment by its index, and keeps the first rows of all three. See `positionParameter`. */
const READ_WORKSPACE = `
  select ${EVENT_COLUMNS}
    from unnest(enum_range(null::environment)) as part (environment)
    cross join lateral
      (select e.* from events e
        where e.workspace_id = $1 and e.environment = part.environment
          and (e.epoch, e.xid, e.seq)
            > ((select $2::smallint), (select $3::xid8), (select $4::bigint))
          and (e.epoch, e.xid, e.seq)
           <= ((select $5::smallint), (select $6::xid8), (select $7::bigint))
        order by e.epoch, e.xid, e.seq limit $8) e
   order by e.epoch, e.xid, e.seq limit $8`;

/** Reads a workspace's events from all environments, oldest first. */
export async function readWorkspaceLog(
  db: Database,
  workspaceKey: string,
  { after, upTo }: LogRange,
  limit: number,
): Promise<RecordedEvent[]> {
  const values = [workspaceKey, ...positionValues(after), ...positionValues(upTo), limit];
  return (await db.system<EventRow>(READ_WORKSPACE, values)).map(toEvent);
}

const SETTLED_END = `
  select epoch, (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text as xid from installation`;

/** The end of the settled log. No further events appear before it. */
export async function readSettledEnd(db: Database): Promise<LogPosition> {
  const [row] = await db.system<{ epoch: number; xid: string }>(SETTLED_END);
  if (!row) throw new Error("The database was not prepared.");
  return { epoch: row.epoch, xid: Number(row.xid), seq: Number.MAX_SAFE_INTEGER };
}

/** The events of the transaction's partition, oldest first. */
export async function readLogRange(
  tx: Tx,
  { after, upTo }: LogRange,
  limit: number,
): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)} from events e
     where (e.epoch, e.xid, e.seq) > ${positionParameter(after)} and (e.epoch, e.xid, e.seq) <= ${positionParameter(upTo)}
     order by e.epoch, e.xid, e.seq limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}

/** The cursor of a reader. Undefined if the reader has never run. */
export async function readReaderCursor(tx: Tx, reader: string): Promise<LogPosition | undefined> {
  const { rows } = await sql<PositionRow>`
    select epoch, xid, seq from readers where name = ${reader}`.execute(tx);
  return rows.map(positionOfRow)[0];
}

/**
 * Locks the cursor of a reader until this transaction ends. All events before it are visible to the following
 * statements.
 */
export async function lockReaderCursor(tx: Tx, reader: string): Promise<LogPosition> {
  const { rows } = await sql<PositionRow>`
    select epoch, xid, seq from readers where name = ${reader} for update`.execute(tx);
  const [position] = rows.map(positionOfRow);
  if (!position) throw new Error(`The reader ${reader} is not registered.`);
  return position;
}

/** The position of this transaction: after everything committed before it began to write. */
export async function positionOfTransaction(tx: Tx): Promise<LogPosition> {
  const { rows } = await sql<PositionRow>`
    select epoch, pg_current_xact_id() as xid, 0::bigint as seq from installation`.execute(tx);
  const [position] = rows.map(positionOfRow);
  if (!position) throw new Error("The database was not prepared.");
  return position;
}

const EDGES = `
  (select e.epoch, e.xid, e.seq from events e order by e.epoch, e.xid, e.seq limit 1)
  union all
  (select e.epoch, e.xid, e.seq from events e
    order by e.epoch desc, e.xid desc, e.seq desc limit 1)`;
const NEXT = `
  select e.created_at >= $3 as reached from events e
   where (e.epoch, e.xid) >= ($1, $2) order by e.epoch, e.xid, e.seq limit 1`;

/** The tolerance for clock differences between nodes and the time before a transaction's first write. */
const CLOCK_SKEW_MS = 60_000;
/** Transaction ids have fewer bits than this. */
const XID_BITS = 50n;

/**
 * Finds a position before all events since a time, by bisection instead of an index. The result can be too
 * early because the log is only approximately ordered by time.
 */
export async function findPositionBefore(db: Database, time: Date): Promise<LogPosition> {
  const from = new Date(time.getTime() - CLOCK_SKEW_MS);
  const edges = (await db.system<PositionRow>(EDGES)).map((row) => toNumber(positionOfRow(row)));
  let [low = 0n, high = 0n] = edges;
  while (low < high) {
    const middle = (low + high) / 2n;
    const { epoch, xid } = toPosition(middle);
    const [row] = await db.system<{ reached: boolean }>(NEXT, [epoch, String(xid), from]);
    if (row?.reached === false) low = middle + 1n;
    else high = middle;
  }
  return toPosition(low);
}

/** The position before all events of a transaction, as one number. */
function toNumber({ epoch, xid }: LogPosition): bigint {
  return (BigInt(epoch) << XID_BITS) | BigInt(xid);
}

function toPosition(number: bigint): LogPosition {
  const xid = Number(BigInt.asUintN(Number(XID_BITS), number));
  return { epoch: Number(number >> XID_BITS), xid, seq: 0 };
}

function positionValues({ epoch, xid, seq }: LogPosition): unknown[] {
  return [epoch, String(xid), seq];
}
