/** Dead letters: events that a reader failed to handle and skipped. A user can retry or discard them. */
import { sql } from "kysely";
import type { Platform, Reader } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import type { Partition } from "../db/database.ts";
import { isConnectionLoss, isTransient } from "../db/errors.ts";
import type { LogPosition, RecordedEvent } from "../log/event.ts";
import {
  type EventRow,
  findEvent,
  positionOfRow,
  positionParameter,
  readEventsAt,
} from "../log/event-log.ts";
import { tellReason } from "./reader-loop.ts";
import { handleEvent } from "./reader.ts";

export interface DeadLetter {
  readonly reader: string;
  readonly position: LogPosition;
  readonly error: string;
  readonly at: string;
  /** Undefined if the log no longer contains it. */
  readonly event: RecordedEvent | undefined;
}

type Row = Pick<EventRow, "epoch" | "xid" | "seq"> & {
  readonly reader: string;
  readonly error: string;
  readonly parked_at: string;
};

/** The dead letters of a partition, newest event first. */
export async function readDeadLetters(
  tx: Tx,
  { before, limit }: { readonly before: LogPosition | undefined; readonly limit: number },
): Promise<DeadLetter[]> {
  const start = before ? sql`(epoch, xid, seq) < ${positionParameter(before)}` : sql`true`;
  const { rows } = await sql<Row>`
    select reader, epoch, xid, seq, error, parked_at from parked_events where ${start}
     order by epoch desc, xid desc, seq desc, reader limit ${limit}`.execute(tx);
  const events = rows.length === 0 ? [] : await readEventsAt(tx, rows.map(positionOfRow));
  return rows.map((row) => {
    const position = positionOfRow(row);
    const event = events.find((one) => isSame(one.position, position));
    return { reader: row.reader, position, error: row.error, at: row.parked_at, event };
  });
}

function isSame(left: LogPosition, right: LogPosition): boolean {
  return left.epoch === right.epoch && left.xid === right.xid && left.seq === right.seq;
}

const PLACE = "reader = $1 and epoch = $2 and xid = $3 and seq = $4";
const LOCK = `select from parked_events where ${PLACE} for update skip locked`;
const REMOVE = `delete from parked_events where ${PLACE} returning 1 as one`;
const SET_REASON = `update parked_events set error = $5 where ${PLACE}`;

/**
 * Handles a dead letter and deletes it in one transaction. Returns the reason of a new failure, or "gone" if
 * the letter does not exist or is being handled.
 */
export async function handleDeadLetter(
  { platform, partition }: { readonly platform: Platform; readonly partition: Partition },
  reader: Reader,
  position: LogPosition,
): Promise<"done" | "gone" | { readonly reason: string }> {
  const { db } = platform;
  const place = [reader.name, position.epoch, String(position.xid), position.seq];
  try {
    return await db.write(partition, async (session) => {
      if ((await session.send(LOCK, place)).length === 0) return "gone";
      const event = await findEvent(session.tx, position);
      if (event) await handleEvent(platform, reader, session, event);
      session.enter(partition);
      await session.send(REMOVE, place);
      return event ? "done" : "gone";
    });
  } catch (error) {
    if (isConnectionLoss(error) || isTransient(error)) throw error;
    const reason = tellReason(error);
    await db.write(partition, (session) => session.send(SET_REASON, [...place, reason]));
    return { reason };
  }
}

/** Discards a dead letter. Returns false if it does not exist. */
export async function removeDeadLetter(
  send: (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>,
  reader: string,
  { epoch, xid, seq }: LogPosition,
): Promise<boolean> {
  return (await send(REMOVE, [reader, epoch, String(xid), seq])).length > 0;
}
