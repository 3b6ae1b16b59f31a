import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { positionParameter } from "#kernel/log/event-log.ts";
import type { LogPosition } from "#kernel/log/event.ts";

/** A checkpoint of the log of a workspace. */
export interface Checkpoint {
  readonly number: number;
  /** The signed text. */
  readonly statement: string;
  readonly hash: Buffer;
  readonly signature: Buffer;
  /** The position of its last event. */
  readonly position: LogPosition;
  readonly firstAt: string;
  readonly createdAt: string;
}

export interface CheckpointWithLeaves extends Checkpoint {
  /** Null when all its events have been deleted. */
  readonly leaves: Buffer | null;
}

interface Row {
  readonly number: number;
  readonly statement: string;
  readonly hash: Buffer;
  readonly signature: Buffer;
  readonly epoch: number;
  readonly xid: string;
  readonly seq: number;
  readonly first_at: string;
  readonly created_at: string;
  readonly leaves?: Buffer | null;
}

const COLUMNS = sql`number, statement, hash, signature, epoch, xid, seq, first_at, created_at`;

export async function findLastCheckpoint(tx: Tx): Promise<Checkpoint | undefined> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from log_checkpoints order by number desc limit 1`.execute(tx);
  return rows.map(toCheckpoint)[0];
}

/** Checkpoints after a number, oldest first. */
export async function listCheckpoints(
  tx: Tx,
  after: number,
  limit: number,
): Promise<CheckpointWithLeaves[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS}, leaves from log_checkpoints where number > ${after}
     order by number limit ${limit}`.execute(tx);
  return rows.map(toCheckpointWithLeaves);
}

/** Checkpoints before a number, newest first. */
export async function listLatestCheckpoints(
  tx: Tx,
  before: number | undefined,
  limit: number,
): Promise<Checkpoint[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from log_checkpoints where ${before === undefined ? sql`true` : sql`number < ${before}`}
     order by number desc limit ${limit}`.execute(tx);
  return rows.map(toCheckpoint);
}

/** The checkpoint that contains the event at a position. Undefined if there is none yet. */
export async function findCheckpointAt(
  tx: Tx,
  position: LogPosition,
): Promise<CheckpointWithLeaves | undefined> {
  const { rows } = await sql<Row>`
    select ${COLUMNS}, leaves from log_checkpoints
     where (epoch, xid, seq) >= ${positionParameter(position)}
     order by epoch, xid, seq limit 1`.execute(tx);
  return rows.map(toCheckpointWithLeaves)[0];
}

export async function insertCheckpoint(
  tx: Tx,
  checkpoint: Omit<CheckpointWithLeaves, "createdAt"> & { readonly createdAt: Date },
): Promise<void> {
  const { position } = checkpoint;
  await tx
    .insertInto("log_checkpoints")
    .values({
      number: checkpoint.number,
      statement: checkpoint.statement,
      hash: checkpoint.hash,
      signature: checkpoint.signature,
      epoch: position.epoch,
      xid: String(position.xid),
      seq: position.seq,
      first_at: checkpoint.firstAt,
      leaves: checkpoint.leaves,
      created_at: checkpoint.createdAt,
    })
    .execute();
}

/** Deletes the leaves of checkpoints whose events have all been deleted by retention. */
export async function forgetLeaves(tx: Tx, before: Date): Promise<void> {
  await sql`
    update log_checkpoints c set leaves = null
     where c.leaves is not null and c.created_at < ${before}
       and exists (select from log_checkpoints n where n.number = c.number + 1 and n.first_at < ${before})`.execute(
    tx,
  );
}

function toCheckpoint(row: Row): Checkpoint {
  return {
    number: row.number,
    statement: row.statement,
    hash: row.hash,
    signature: row.signature,
    position: { epoch: row.epoch, xid: Number(row.xid), seq: row.seq },
    firstAt: row.first_at,
    createdAt: row.created_at,
  };
}

function toCheckpointWithLeaves(row: Row): CheckpointWithLeaves {
  return { ...toCheckpoint(row), leaves: row.leaves ?? null };
}
