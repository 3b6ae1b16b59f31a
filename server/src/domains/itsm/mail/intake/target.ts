import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { MailTarget } from "./accept.ts";

const FIND = `
  select id as "mailboxId", workspace_id as workspace, environment, enabled
    from mailboxes where address = $1`;

interface TargetRow {
  readonly mailboxId: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly enabled: boolean;
}

/** Finds the mailbox of an address, in whichever workspace; what is behind a `+` belongs to the mailbox without. */
export async function findTarget(
  { db }: Platform,
  address: string,
): Promise<(MailTarget & { readonly enabled: boolean }) | undefined> {
  const recipient = address.trim().toLowerCase();
  if (recipient.length > 320 || !recipient.includes("@")) return undefined;
  const [row] = await db.system<TargetRow & Record<string, unknown>>(FIND, [
    recipient.replace(/\+[^@]*@/, "@"),
  ]);
  if (!row) return undefined;
  const { mailboxId, workspace, environment, enabled } = row;
  return { mailboxId, partition: { workspace, environment }, recipient, enabled };
}
