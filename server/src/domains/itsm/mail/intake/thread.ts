/**
 * Finds the ticket of a mail. A reference to one of our mails or a signed address proves that it is a reply. A number
 * in the subject proves nothing, and counts only for parties of the ticket.
 */
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import {
  findSurvivorId,
  findTicketById,
  findTicketByNumber,
  type TicketIdentity,
  type TicketKind,
} from "../../tickets/index.ts";
import { findTicketOfMail } from "../messages/store.ts";
import type { ParsedMail } from "../mime/parsed-mail.ts";
import { readMessageId, readReplyAddress, type ReplyTarget } from "../outgoing/reply-address.ts";
import { isParty, type Sender } from "./sender.ts";

/** The rule used to match a mail to a ticket. */
export type ThreadReason = "reply" | "reply_address" | "subject";

export interface Thread {
  readonly kind: TicketKind;
  readonly ticket: TicketIdentity;
  readonly reason: ThreadReason;
  /**
   * True if the sender is the requester, an agent or a watcher of the ticket. For a merged ticket, of either ticket.
   */
  readonly isParty: boolean;
  /** The ticket of the replied mail, if it was merged into this one. */
  readonly duplicate?: TicketIdentity;
  /** True if the sender can get replies, and the mail is visible to all readers of the ticket. */
  readonly isPublic: boolean;
  /** True for a mail to the reply address that only this agent received. */
  readonly provesAgent: boolean;
}

export interface ThreadContext extends Pick<ReadContext, "tx"> {
  readonly services: Pick<PlatformServices, "contributions" | "masterKey">;
  readonly partition: Partition;
}

const NUMBER = /\b((?:INC|CHG|PRB|REQ)\d{7,15})\b/i;

export async function findThread(
  ctx: ThreadContext,
  mail: Pick<ParsedMail, "references" | "subject" | "to" | "cc">,
  { recipient, sender }: { readonly recipient: string; readonly sender: Sender },
): Promise<Thread | undefined> {
  const { tx } = ctx;
  const addressed = readAddresses(
    ctx,
    [recipient, ...[...mail.to, ...mail.cc].map(toAddress)],
    sender,
  );
  const found =
    (await findByReferences(ctx, mail.references)) ?? (await findByAddress(ctx, addressed));
  if (found) {
    const provesAgent = addressed.some(
      (one) => one.provesAgent && one.number === found.ticket.number,
    );
    return toThread(ctx, found, { sender, provesAgent });
  }
  const number = NUMBER.exec(mail.subject)?.[1]?.toUpperCase();
  const named = number === undefined ? undefined : await findTicketByNumber(ctx, number);
  if (!named || !(await isParty(tx, named.ticket, sender))) return undefined;
  return toThread(ctx, { ...named, reason: "subject" }, { sender, provesAgent: false });
}

/**
 * The thread of a replied ticket. A reply to a merged ticket belongs to the remaining ticket (ADR 0135). Its parties
 * do not know each other, so a reply from a party of the duplicate only is an internal note.
 */
async function toThread(
  ctx: ThreadContext,
  found: Found,
  { sender, provesAgent }: { readonly sender: Sender; readonly provesAgent: boolean },
): Promise<Thread> {
  const isOwn = await isParty(ctx.tx, found.ticket, sender);
  const survivorId =
    found.kind.kind === "incident"
      ? await findSurvivorId(ctx.tx, found.ticket.id)
      : found.ticket.id;
  const survivor =
    survivorId === found.ticket.id ? undefined : await findTicketById(ctx, survivorId);
  if (!survivor) return { ...found, isParty: isOwn, isPublic: isOwn, provesAgent };
  const isOfBoth = await isParty(ctx.tx, survivor.ticket, sender);
  return {
    ...found,
    ...survivor,
    duplicate: found.ticket,
    isParty: isOwn || isOfBoth,
    isPublic: isOfBoth,
    // The reply address of the duplicate proves nothing for the other ticket.
    provesAgent: false,
  };
}

function toAddress({ address }: { readonly address: string }): string {
  return address;
}

function readAddresses(
  { services: { masterKey }, partition }: ThreadContext,
  addresses: readonly string[],
  { ids }: Sender,
): readonly ReplyTarget[] {
  return addresses.flatMap((one) => readReplyAddress({ masterKey, partition }, one, ids) ?? []);
}

type Found = Pick<Thread, "kind" | "ticket" | "reason">;

/** Finds the ticket by the replied mail, which can be outgoing or incoming. */
async function findByReferences(
  ctx: ThreadContext,
  references: readonly string[],
): Promise<Found | undefined> {
  const key = { masterKey: ctx.services.masterKey, partition: ctx.partition };
  const ours = references.map((id) => readMessageId(key, id)).find((id) => id !== undefined);
  const ticketId = ours ?? (await findTicketOfMail(ctx.tx, references));
  const found = ticketId === undefined ? undefined : await findTicketById(ctx, ticketId);
  return found && { ...found, reason: "reply" };
}

async function findByAddress(
  ctx: ThreadContext,
  [target]: readonly ReplyTarget[],
): Promise<Found | undefined> {
  const found = target && (await findTicketByNumber(ctx, target.number));
  return found && { ...found, reason: "reply_address" };
}
