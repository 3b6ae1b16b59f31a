/**
 * Accepts a mail. Its bytes are stored first. Then one transaction creates the file, the row and the processing job.
 * The mail is acknowledged after this commit.
 */
import { discardContent, insertFile, storeFile, type StoredContent } from "#domains/files/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { newId } from "#kernel/schema/id.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { MailAccepted } from "../events.ts";
import type { MailSource } from "../messages/message.ts";
import { settleMailJob } from "./settle-job.ts";

export const MailboxFull = failure(
  "mailbox_full",
  507,
  "The mailbox has reached its storage limit (MILLRACE_MAILBOX_MAX_MIB).",
);

/** A mailbox that receives a mail, and the address used. */
export interface MailTarget {
  readonly mailboxId: string;
  readonly partition: Partition;
  readonly recipient: string;
  /** Free space in bytes. */
  readonly roomBytes: number;
}

export interface IncomingMail {
  readonly source: MailSource;
  /** Null for the null return path of bounces. */
  readonly returnPath: string | null;
  readonly targets: readonly MailTarget[];
}

/** Stores a mail for all of its mailboxes, or for none. */
export async function acceptMail(
  platform: Platform,
  mail: IncomingMail,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const contents = new Map<MailTarget, StoredContent>();
  try {
    await storeContents(platform, { targets: mail.targets, contents }, content);
    await insertMails(platform, mail, contents);
  } catch (error) {
    // Only a rejection guarantees that no mail uses the content.
    if (error instanceof Failure) {
      const stored = [...contents].map(([{ partition }, { blobId }]) =>
        discardContent(platform, partition, blobId),
      );
      await Promise.allSettled(stored);
    }
    throw error;
  }
}

async function insertMails(
  platform: Platform,
  mail: IncomingMail,
  contents: ReadonlyMap<MailTarget, StoredContent>,
): Promise<void> {
  const [first] = mail.targets;
  if (!first) throw new Error("A mail is for a mailbox.");
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 0 };
  await runAsSystem(platform, first.partition, cause, async (ctx) => {
    // Sorted, because each target locks its mailbox. So concurrent mails wait without a deadlock.
    for (const target of mail.targets.toSorted(byMailbox)) {
      const stored = contents.get(target);
      if (!stored) throw new Error("A mail was stored for each of its mailboxes.");
      ctx.switchPartition(target.partition);
      await insertMail(ctx, { ...mail, target, stored });
    }
  });
}

/** The lock order of mailboxes. */
export function byMailbox(
  left: Pick<MailTarget, "mailboxId">,
  right: Pick<MailTarget, "mailboxId">,
): number {
  return left.mailboxId < right.mailboxId ? -1 : 1;
}

/** Each workspace has its own content. The first is read from the sender, others are copied from the first. */
async function storeContents(
  platform: Platform,
  {
    targets,
    contents,
  }: Pick<IncomingMail, "targets"> & { contents: Map<MailTarget, StoredContent> },
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const chunks: Uint8Array[] = [];
  const isShared = targets.length > 1;
  for (const [index, target] of targets.entries()) {
    const source = index === 0 ? (isShared ? keep(content, chunks) : content) : replay(chunks);
    contents.set(target, await storeMail(platform, target, source));
  }
}

/**
 * Stores a mail. If its mailbox is full its content is deleted, because each attempt would otherwise occupy space for
 * a day.
 */
export function storeMail(
  platform: Platform,
  { partition, roomBytes }: Pick<MailTarget, "partition" | "roomBytes">,
  content: AsyncIterable<Uint8Array>,
): Promise<StoredContent> {
  return storeFile(platform, partition, boundByRoom(content, roomBytes), { name: "mail.eml" });
}

async function* boundByRoom(content: AsyncIterable<Uint8Array>, roomBytes: number) {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > roomBytes) throw new Failure(MailboxFull);
    yield chunk;
  }
}

async function* keep(content: AsyncIterable<Uint8Array>, chunks: Uint8Array[]) {
  for await (const chunk of content) {
    chunks.push(chunk);
    yield chunk;
  }
}

async function* replay(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

/** Adds the bytes of a mail to the usage of its mailbox. Throws if the mailbox is full. */
async function takeRoom(
  { send, services: { settings } }: WriteContext<never>,
  mailboxId: string,
  size: number,
): Promise<void> {
  const bytesMax =
    settings.mailboxBytesMax === 0 ? Number.MAX_SAFE_INTEGER : settings.mailboxBytesMax;
  const rows = await send(
    `update mailboxes set mail_bytes = mail_bytes + $2
      where id = $1 and mail_bytes + $2 <= $3 returning 1 as n`,
    [mailboxId, size, bytesMax],
  );
  if (rows.length === 0) throw new Failure(MailboxFull);
}

/** Inserts the row, file, event and job of a stored mail. */
export async function insertMail(
  ctx: WriteContext<typeof MailAccepted>,
  mail: Pick<IncomingMail, "source" | "returnPath"> & {
    readonly target: MailTarget;
    readonly stored: StoredContent;
    /** Set for a fetched mail. */
    readonly uid?: { readonly validity: bigint; readonly uid: number };
  },
): Promise<string> {
  const { target, stored, source, returnPath, uid } = mail;
  const { mailboxId, partition, recipient } = target;
  await takeRoom(ctx, mailboxId, stored.size);
  const id = newId("eml", ctx.now.getTime());
  const file = await insertFile(ctx, stored, { attachedTo: { type: "mail", id } });
  void ctx.send(
    `insert into mails (id, mailbox_id, state, source, return_path, recipient, file_id, size,
                        uid_validity, uid, created_at)
     values ($1, $2, 'waiting', $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      id,
      mailboxId,
      source,
      returnPath,
      recipient,
      file.id,
      stored.size,
      uid?.validity ?? null,
      uid?.uid ?? null,
      ctx.now,
    ],
  );
  ctx.emit(MailAccepted, { id }, { id, mailboxId, size: stored.size });
  ctx.enqueue(settleMailJob, { mailId: id, ...partition }, { key: id });
  return id;
}
