/**
 * Makes room for the log of another installation. Its events keep their positions, which are their ids, so they must
 * be in a past epoch behind every reader: no past event is sent or started again.
 */
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { StartupError } from "#kernel/startup-error.ts";

const EPOCH_MAX = 1_023;
/** Each restore, promotion and import uses an epoch. An archive that declares more would use up all epochs. */
const EPOCHS_AT_ONCE_MAX = 64;
const POLL_MS = 200;
const PATIENCE_MS = 30_000;

export async function openLog(
  client: pg.Client,
  { epoch, readerNames }: { readonly epoch: number; readonly readerNames: readonly string[] },
): Promise<void> {
  const present = await beginEpochAfter(client, epoch);
  let waitedMs = 0;
  for (let before = ""; ; waitedMs += POLL_MS) {
    const behind = await moveReaders(client, present, readerNames);
    if (behind.length === 0) return;
    const now = JSON.stringify(behind);
    if (now !== before) waitedMs = 0;
    before = now;
    if (waitedMs >= PATIENCE_MS) {
      throw new StartupError(
        `Events of this installation are not handled yet (${behind.map(({ name }) => name).join(", ")}). ` +
          "Start Millrace, and import while it runs.",
      );
    }
    await setTimeout(POLL_MS);
  }
}

/** The current epoch, or a new one if the archive's log has reached it. Connections of the old one are replaced. */
async function beginEpochAfter(client: pg.Client, epoch: number): Promise<number> {
  await client.query("begin");
  try {
    await client.query("set local lock_timeout = '30s'");
    await client.query("lock table installation in access exclusive mode");
    const { rows } = await client.query<{ epoch: number }>("select epoch from installation");
    let present = rows[0]?.epoch ?? 1;
    if (epoch - present > EPOCHS_AT_ONCE_MAX) {
      throw new StartupError(
        `The archive's log is of epoch ${epoch}, and here it is ${present}. An import takes at most ` +
          `${EPOCHS_AT_ONCE_MAX} of the ${EPOCH_MAX} epochs of an installation at once.`,
      );
    }
    if (epoch >= present) {
      present = epoch + 1;
      if (present > EPOCH_MAX) throw new StartupError("The log has no epoch left for an import.");
      await client.query("update installation set epoch = $1", [present]);
      await client.query("select refuse_epochs_before($1::smallint)", [present]);
    }
    await client.query("commit");
    return present;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

interface Cursor {
  readonly name: string;
  readonly epoch: number;
  readonly xid: string;
  readonly seq: string;
}

/** Moves readers that have read all earlier epochs into the current one. Returns the others. */
async function moveReaders(
  client: pg.Client,
  present: number,
  readerNames: readonly string[],
): Promise<Cursor[]> {
  // No events can be added to a past epoch.
  await client.query(
    `update readers r set epoch = $1, xid = '0', seq = 0
      where r.epoch < $1 and not exists (
        select from events e where e.epoch < $1 and (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq))`,
    [present],
  );
  const { rows } = await client.query<Cursor>(
    "select name, epoch, xid, seq from readers where epoch < $1 and name = any($2) order by name",
    [present, readerNames],
  );
  return rows;
}
