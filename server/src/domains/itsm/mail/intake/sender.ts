/** Identifies the mail sender. The header is not verified, so it never grants permissions. */
import { readRights } from "#domains/identity/accounts/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { findOwnIds, findPerson, type Person } from "../../contacts/index.ts";
import type { TicketIdentity, TicketKind } from "../../tickets/index.ts";

/** The identified sender. */
export interface Sender {
  readonly address: string;
  readonly name: string;
  /** Undefined for a sender who is neither a member nor a contact. */
  readonly person: Person | undefined;
  /** The ids of the sender on tickets. */
  readonly ids: readonly string[];
}

export async function findSender(
  tx: Tx,
  from: { readonly address: string; readonly name: string },
): Promise<Sender> {
  const person = await findPerson(tx, from.address);
  const ids = !person ? [] : person.isMember ? await findOwnIds(tx, person.id) : [person.id];
  return { address: from.address, name: from.name, person, ids };
}

/** True for the requester, agents and invited watchers of a ticket. */
export async function isParty(tx: Tx, ticket: TicketIdentity, { ids }: Sender): Promise<boolean> {
  const { callerId, requestedFor, createdBy, assigneeId } = ticket;
  if ([callerId, requestedFor, createdBy, assigneeId].some((id) => id && ids.includes(id)))
    return true;
  if (ids.length === 0) return false;
  const rows = await queryRows(
    tx,
    "select from ticket_watchers where ticket_id = $1 and user_id = any ($2::text[]) and invited limit 1",
    [ticket.id, ids],
  );
  return rows.length > 0;
}

/** True for a member who works on such tickets. */
export async function isAgent(
  ctx: Pick<ReadContext, "tx" | "services">,
  { write }: TicketKind,
  { person }: Sender,
): Promise<boolean> {
  if (!person?.isMember) return false;
  const rightsOf = await readRights(ctx, [person.id]);
  return rightsOf({ runAs: person.id })?.permissions.has(write.name) ?? false;
}
