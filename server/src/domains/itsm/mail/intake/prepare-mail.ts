/** All slow or external work for a mail, before the transaction that settles it. */
import { openPartitionFile, type StoredContent, storeFile } from "#domains/files/index.ts";
import { systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/database.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { type PreparedRequest, prepareSubmit } from "../../catalog/index.ts";
import { nextTicketNumber, type TicketNumber } from "../../tickets/index.ts";
import type { StoredMailbox } from "../mailbox.ts";
import { mailboxes } from "../mailbox-resource.ts";
import { findWaiting, type WaitingMail } from "../messages/store.ts";
import { parseMail } from "../mime/mail-parser.ts";
import type { ParsedMail } from "../mime/parsed-mail.ts";
import { findSender } from "./sender.ts";
import { findThread } from "./thread.ts";
import { judgeMail, type Verdict } from "./verdict.ts";

/** A stored file of a mail. */
export interface PreparedFile {
  readonly stored: StoredContent;
  readonly isInline: boolean;
}

/** The number allocated for a new ticket, if the mail creates one. */
export type PreparedTicket =
  | { readonly kind: "incident"; readonly number: TicketNumber }
  | { readonly kind: "request"; readonly request: PreparedRequest };

export type PreparedMail =
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly reason: string; readonly detail: string }
  | {
      readonly kind: "parsed";
      readonly waiting: WaitingMail;
      readonly mailbox: StoredMailbox;
      readonly mail: ParsedMail;
      readonly verdict: Verdict;
      readonly files: readonly PreparedFile[];
      readonly ticket: PreparedTicket | undefined;
      readonly isLastAttempt: boolean;
    };

export async function prepareMail(
  platform: Platform,
  partition: Partition,
  { mailId, isLastAttempt }: { readonly mailId: string; readonly isLastAttempt: boolean },
): Promise<PreparedMail> {
  const found = await platform.db.read(partition, async (tx) => {
    const waiting = await findWaiting(tx, mailId);
    if (!waiting) return undefined;
    const mailbox = await mailboxes.store.get(tx, waiting.mailboxId);
    return { waiting, mailbox, ownAddresses: await findOwnAddresses(tx) };
  });
  if (!found) return { kind: "gone" };
  const { waiting, mailbox, ownAddresses } = found;
  if (waiting.fileId === null) {
    return { kind: "failed", reason: "gone", detail: "The mail is no longer kept." };
  }
  try {
    const raw = await readRawMail(platform, partition, waiting.fileId);
    const parsed = await parseMail(partition.workspace, raw);
    if ("error" in parsed) return { kind: "failed", reason: "unreadable", detail: parsed.error };
    const { files: contents, ...rest } = parsed.mail;
    const mail = { ...rest, files: contents.map((file) => ({ ...file, content: EMPTY })) };
    const verdict = judgeMail(parsed.mail, mailbox.rules, {
      returnPath: waiting.returnPath,
      ownAddresses,
    });
    const about = { kind: "parsed", waiting, mailbox, mail, verdict, isLastAttempt } as const;
    if (verdict.kind !== "message") return { ...about, files: [], ticket: undefined };
    const attached = parsed.mail.isUnreadable
      ? [{ name: "mail.eml", content: raw, isInline: false }]
      : contents;
    return {
      ...about,
      files: await storeFiles(platform, partition, attached),
      ticket: await prepareTicket(platform, partition, { mail, mailbox, waiting }),
    };
  } catch (error) {
    if (!isLastAttempt) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: "failed", reason: "error", detail };
  }
}

const EMPTY = new Uint8Array();

async function storeFiles(
  platform: Platform,
  partition: Partition,
  files: readonly { name: string; content: Uint8Array; isInline: boolean }[],
): Promise<readonly PreparedFile[]> {
  const stored: PreparedFile[] = [];
  for (const { name, content, isInline } of files) {
    const one = await storeFile(platform, partition, toChunks(content), { name });
    stored.push({ stored: one, isInline });
  }
  return stored;
}

const CHUNK_BYTES = 256 * 1024;

/** In chunks, because each chunk is hashed at once and others run in between. */
async function* toChunks(content: Uint8Array) {
  for (let at = 0; at < content.length; at += CHUNK_BYTES) {
    yield content.subarray(at, at + CHUNK_BYTES);
  }
}

/** Allocates a ticket number if the mail probably creates a ticket. The transaction decides. */
async function prepareTicket(
  platform: Platform,
  partition: Partition,
  about: {
    readonly mail: ParsedMail;
    readonly mailbox: StoredMailbox;
    readonly waiting: WaitingMail;
  },
): Promise<PreparedTicket | undefined> {
  const { mail, mailbox, waiting } = about;
  const from = mail.from;
  if (!from) return undefined;
  const thread = await platform.db.read(partition, async (tx) => {
    const sender = await findSender(tx, from);
    return findThread({ tx, services: platform, partition }, mail, {
      recipient: waiting.recipient,
      sender,
    });
  });
  if (thread && !thread.kind.machine.finalStates.includes(thread.ticket.state)) return undefined;
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 0 };
  const caller = systemCaller(partition, cause);
  const { kind, itemId = "", values = {} } = mailbox.defaults;
  if (kind === "request") {
    return { kind, request: await prepareSubmit(platform, caller, { itemId, values }) };
  }
  return { kind, number: await nextTicketNumber(platform, caller, "incident") };
}

/** The addresses of all mailboxes of the partition. */
async function findOwnAddresses(tx: Tx): Promise<readonly string[]> {
  const rows = await queryRows(tx, "select address from mailboxes", []);
  return rows.map(({ address }) => String(address));
}

/** The bytes of an accepted mail. */
async function readRawMail(
  platform: Platform,
  partition: Partition,
  fileId: string,
): Promise<Uint8Array> {
  const { read } = await openPartitionFile(platform, partition, fileId);
  const chunks: Uint8Array[] = [];
  for await (const chunk of read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
