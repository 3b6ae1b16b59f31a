/** The recipient of a mail. Access is checked when the mail is sent, because it can be enqueued long before. */
import { findMemberNames, readRights } from "#domains/identity/accounts/index.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { findContacts } from "../../contacts/index.ts";
import { findTicketById, type FoundTicket, type TicketIdentity } from "../../tickets/index.ts";

export interface Recipient {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** True for agents: they can read internal comments, and use the console. */
  readonly isAgent: boolean;
}

interface Lookup {
  readonly tx: Tx;
  readonly services: Pick<PlatformServices, "contributions" | "permissions">;
}

/** The ticket and the recipient of a mail. Undefined if the recipient may no longer see the ticket. */
export async function findRecipient(
  lookup: Lookup,
  ticketId: string,
  recipientId: string,
): Promise<{ readonly found: FoundTicket; readonly recipient: Recipient } | undefined> {
  const found = await findTicketById(lookup, ticketId);
  if (!found) return undefined;
  const recipient = recipientId.startsWith("cnt_")
    ? await findContact(lookup.tx, found.ticket, recipientId)
    : await findMember(lookup, found, recipientId);
  return recipient && { found, recipient };
}

/** Contacts get mails only about their own requests. */
async function findContact(
  tx: Tx,
  ticket: TicketIdentity,
  id: string,
): Promise<Recipient | undefined> {
  if (!asksFor(ticket, id)) return undefined;
  const [contact] = await findContacts(tx, [id]);
  if (!contact?.address) return undefined;
  return { id, name: contact.name, address: contact.address, isAgent: false };
}

async function findMember(
  lookup: Lookup,
  { kind, ticket }: FoundTicket,
  id: string,
): Promise<Recipient | undefined> {
  const [member] = await findMemberNames(lookup.tx, [id]);
  // Uses the current rights. Inactive members have none.
  const rights = (await readRights(lookup as never, [id]))({ runAs: id });
  if (!member || !rights) return undefined;
  const isAgent = rights.permissions.has(kind.write.name);
  const sees = rights.permissions.has(kind.read.name) && (kind.canSee?.(rights, ticket) ?? true);
  const mayKnow = isAgent || sees || asksFor(ticket, id) || (await watches(lookup.tx, ticket, id));
  return mayKnow ? { id, name: member.name, address: member.email, isAgent } : undefined;
}

function asksFor({ callerId, requestedFor, createdBy }: TicketIdentity, id: string): boolean {
  return [callerId, requestedFor, createdBy].includes(id);
}

async function watches(tx: Tx, ticket: TicketIdentity, userId: string): Promise<boolean> {
  const rows = await queryRows(
    tx,
    "select from ticket_watchers where ticket_id = $1 and user_id = $2",
    [ticket.id, userId],
  );
  return rows.length > 0;
}
