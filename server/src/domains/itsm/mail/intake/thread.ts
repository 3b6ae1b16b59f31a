/**
 * The ticket that a mail belongs to. An id of one of our mails and a signed address prove that the mail answers one
 * of them; the number in a subject proves nothing, and counts only for those whose ticket it is anyway.
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

/** The way by which a mail found its ticket. */
export type ThreadReason = "reply" | "reply_address" | "subject";

export interface Thread {
  readonly kind: TicketKind;
  readonly ticket: TicketIdentity;
  readonly reason: ThreadReason;
  /** True when the sender asked for the ticket, works on it or watches it; of a merged one, for either of both. */
  readonly isParty: boolean;
  /** The ticket that the mail answers, where that was merged into this one. */
  readonly duplicate?: TicketIdentity;
  /** True where the sender may be answered and read by all who read the ticket. */
  readonly isPublic: boolean;
  /** True when the mail is to the address that only the sender was given, as one who works on the ticket. */
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
 * The thread of the ticket that a mail answers. An answer to a merged ticket belongs to the one that stays (ADR 0135).
 * Its people do not know each other, so what only a party of the duplicate writes is a note for those who work on it.
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
    // The address of a mail about the duplicate is no proof for the other ticket.
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

/** Finds the ticket of the mail of ours, or of the mail that came before, that this one answers. */
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
