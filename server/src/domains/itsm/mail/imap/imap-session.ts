/** One session with an IMAP server, over connections that reach permitted addresses only. */
import type { ImapFlow } from "imapflow";
import { findRights } from "#domains/identity/accounts/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { ImapSettings, StoredMailbox } from "../mailbox.ts";

const TIMEOUT_MS = 20_000;
const OVERHEAD_BYTES = 1_048_576;

export interface ImapFolder {
  readonly client: ImapFlow;
  readonly uidValidity: bigint;
  /** The next message that arrives will have this one, or a higher one. */
  readonly uidNext: number;
}

/** Opens the folder of a mailbox for `work`, and closes all in the end; errors do not tell the password. */
export async function withFolder<T>(
  platform: Platform,
  { mailbox, partition }: { readonly mailbox: StoredMailbox; readonly partition: Partition },
  work: (folder: ImapFolder) => Promise<T>,
): Promise<T> {
  const { imap } = mailbox;
  if (!imap) throw new Error("The mailbox is not one that is fetched from.");
  const password = await readPassword(platform, mailbox, { imap, partition });
  const client = await createClient(platform, imap, password);
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
    throw toImapError(error);
  } finally {
    client.close();
  }
}

/** The password, for whoever saved the mailbox: one who has left takes it with them. */
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

async function createClient(
  { outbound, settings }: Platform,
  { host, port, security, username }: ImapSettings,
  password: string,
): Promise<ImapFlow> {
  // A literal address is never looked up.
  outbound.checkHost(host);
  // Loaded here: most installations fetch no mails.
  const library = await import("imapflow");
  const { secureContext, lookup } = outbound;
  const client = new library.ImapFlow({
    host,
    port,
    secure: security === "tls",
    doSTARTTLS: security === "starttls",
    auth: { user: username, pass: password },
    // Also the options of a connection without TLS.
    tls: {
      rejectUnauthorized: true,
      lookup,
      autoSelectFamily: true,
      ...(secureContext && { secureContext }),
    } as never,
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    maxLiteralSize: settings.mailBytesMax + OVERHEAD_BYTES,
    maxResponseSize: settings.mailBytesMax + 2 * OVERHEAD_BYTES,
  });
  // A broken connection is reported where something is awaited.
  client.on("error", () => undefined);
  return client;
}

/** The error in words for those who set the mailbox up; the library's own holds the commands. */
function toImapError(error: unknown): Error {
  const { message, responseText, authenticationFailed, code } = error as {
    readonly message?: string;
    readonly responseText?: string;
    readonly authenticationFailed?: boolean;
    readonly code?: string;
  };
  if (authenticationFailed === true)
    return new Error("The server refused the name or the password.");
  const words = [code, responseText ?? message].filter(Boolean).join(": ");
  return new Error((words || "The connection broke.").slice(0, 500));
}
