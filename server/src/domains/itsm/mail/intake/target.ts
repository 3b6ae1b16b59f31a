import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { MailTarget } from "./accept.ts";

const FIND = `
  select id as "mailboxId", workspace_id as workspace, environment, enabled, mail_bytes::float8 as "mailBytes"
    from mailboxes where address = $1`;

interface TargetRow {
  readonly mailboxId: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly enabled: boolean;
  readonly mailBytes: number;
}

export interface FoundTarget extends MailTarget {
  readonly enabled: boolean;
  readonly isFull: boolean;
}

/** Finds the mailbox of an address in any workspace. A suffix after `+` is ignored. */
export async function findTarget(
  { db, settings }: Platform,
  address: string,
): Promise<FoundTarget | undefined> {
  const recipient = address.trim().toLowerCase();
  if (recipient.length > 320 || !recipient.includes("@")) return undefined;
  const [row] = await db.system<TargetRow & Record<string, unknown>>(FIND, [
    recipient.replace(/\+[^@]*@/, "@"),
  ]);
  if (!row) return undefined;
  const { mailboxId, workspace, environment, enabled, mailBytes } = row;
  const bytesMax = settings.mailboxBytesMax;
  const roomBytes = bytesMax === 0 ? Infinity : Math.max(0, bytesMax - mailBytes);
  const partition = { workspace, environment };
  return { mailboxId, partition, recipient, roomBytes, enabled, isFull: roomBytes === 0 };
}
