/** One session with an IMAP server, over connections that reach permitted addresses only. */
import type { ImapFlow } from "imapflow";
import { findRights } from "#domains/identity/accounts/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { createImapClient, imapErrorWords } from "#kernel/outbound/imap-client.ts";
import type { ImapSettings, StoredMailbox } from "../mailbox.ts";

const TIMEOUT_MS = 20_000;

export interface ImapFolder {
  readonly client: ImapFlow;
  readonly uidValidity: bigint;
  /** The next message will have this number or a higher one. */
  readonly uidNext: number;
}

/** Opens a mailbox folder for `work`, and closes everything afterwards. Errors do not contain the password. */
export async function withFolder<T>(
  platform: Platform,
  { mailbox, partition }: { readonly mailbox: StoredMailbox; readonly partition: Partition },
  work: (folder: ImapFolder) => Promise<T>,
): Promise<T> {
  const { imap } = mailbox;
  if (!imap) throw new Error("The mailbox is not one that is fetched from.");
  const password = await readPassword(platform, mailbox, { imap, partition });
  const client = await createImapClient(platform.outbound, {
    ...imap,
    password,
    timeoutMs: TIMEOUT_MS,
    bytesMax: platform.settings.mailBytesMax,
  });
  try {
    await client.connect();
    const lock = await client.getMailboxLock(imap.folder, { readOnly: true });
    try {
      if (!client.mailbox) throw new Error(`There is no folder ${imap.folder}.`);
      const { uidValidity, uidNext } = client.mailbox;
      return await work({ client, uidValidity, uidNext });
    } finally {
      lock.release();
    }
  } catch (error) {
    throw new Error(imapErrorWords(error));
  } finally {
    client.close();
  }
}

/**
 * Reads the password with the rights of the member who saved the mailbox. It is unavailable after the member leaves.
 */
async function readPassword(
  platform: Platform,
  { savedBy, permissions }: StoredMailbox,
  { imap, partition }: { readonly imap: ImapSettings; readonly partition: Partition },
): Promise<string> {
  const authority = { runAs: savedBy, permissions };
  const { values } = await platform.secrets.read(partition, [imap.secret], () =>
    findRights(platform, partition.workspace, authority),
  );
  return values.get(imap.secret) ?? "";
}
