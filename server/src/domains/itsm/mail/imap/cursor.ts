import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/database.ts";
import { queryRows } from "#kernel/db/statement.ts";

/** The polling position in a mailbox. */
export interface Cursor {
  /** Identifies the numbering of messages. A changed value means that the server restarted it. */
  readonly uidValidity: bigint;
  readonly lastUid: number;
}

export async function findCursor(tx: Tx, mailboxId: string): Promise<Cursor | undefined> {
  const [row] = await queryRows(
    tx,
    "select uid_validity::text as validity, last_uid::text as uid from mailbox_cursors where mailbox_id = $1",
    [mailboxId],
  );
  return row && { uidValidity: BigInt(String(row["validity"])), lastUid: Number(row["uid"]) };
}

export async function saveCursor(
  { db, clock }: Platform,
  partition: Partition,
  { mailboxId, cursor }: { readonly mailboxId: string; readonly cursor: Cursor },
): Promise<void> {
  await db.write(partition, (session) =>
    session.send(
      `insert into mailbox_cursors (mailbox_id, uid_validity, last_uid, polled_at) values ($1, $2, $3, $4)
       on conflict (mailbox_id) do update set uid_validity = excluded.uid_validity,
              last_uid = excluded.last_uid, polled_at = excluded.polled_at`,
      [mailboxId, cursor.uidValidity, cursor.lastUid, clock.now()],
    ),
  );
}
