/**
 * The ticket that a mail belongs to. An id of one of our mails and a signed address prove that the mail answers one
 * of them; the number in a subject proves nothing, and counts only for those whose ticket it is anyway.
 */
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import {
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
  /** True when the sender asked for the ticket, works on it or watches it. */
  readonly isParty: boolean;
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
    return { ...found, isParty: await isParty(tx, found.ticket, sender), provesAgent };
  }
  const number = NUMBER.exec(mail.subject)?.[1]?.toUpperCase();
  const named = number === undefined ? undefined : await findTicketByNumber(ctx, number);
  if (!named || !(await isParty(tx, named.ticket, sender))) return undefined;
  return { ...named, reason: "subject", isParty: true, provesAgent: false };
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

type Found = Omit<Thread, "isParty" | "provesAgent">;

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
