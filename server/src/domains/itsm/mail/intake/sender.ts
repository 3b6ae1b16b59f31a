/** The person who wrote a mail. Its header says so and nobody proves it: it names somebody, and gives no rights. */
import { readRights } from "#domains/identity/accounts/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { findOwnIds, findPerson, type Person } from "../../contacts/index.ts";
import type { TicketIdentity, TicketKind } from "../../tickets/index.ts";

/** Somebody who wrote, as far as they are known. */
export interface Sender {
  readonly address: string;
  readonly name: string;
  /** Undefined of who is neither a member nor a contact. */
  readonly person: Person | undefined;
  /** The ids that stand for them on tickets. */
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

/** True of who asked for a ticket, works on it or was invited to watch it. */
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

/** True of a member who works on such tickets. */
export async function isAgent(
  ctx: Pick<ReadContext, "tx" | "services">,
  { write }: TicketKind,
  { person }: Sender,
): Promise<boolean> {
  if (!person?.isMember) return false;
  const rightsOf = await readRights(ctx, [person.id]);
  return rightsOf({ runAs: person.id })?.permissions.has(write.name) ?? false;
}
