import type { WriteContext } from "#kernel/contract.ts";
import { requestKind, submitRequest } from "../../catalog/index.ts";
import { ensureContact } from "../../contacts/index.ts";
import { createIncident, incidentKind } from "../../incidents/index.ts";
import { findTicketById, type FoundTicket, type TicketIdentity } from "../../tickets/index.ts";
import { attachFiles } from "./attach-files.ts";
import { actByMail } from "./mail-actor.ts";
import { descriptionOf, titleOf } from "./mail-text.ts";
import type { Sender } from "./sender.ts";
import type { MailOutcome, ReadMail } from "./outcome.ts";

/** Creates a ticket for a mail without a ticket, or with a closed one. */
export async function openTicket(
  ctx: WriteContext,
  prepared: ReadMail,
  { sender, follows }: { readonly sender: Sender; readonly follows: TicketIdentity | undefined },
): Promise<MailOutcome> {
  const { mail } = prepared;
  const nobody = actByMail(ctx, sender);
  const person = await ensureContact(nobody, { address: sender.address, name: sender.name });
  const act = actByMail(ctx, { ...sender, person });
  const text = descriptionOf(mail);
  const description = follows ? `Follows ${follows.number}.\n\n${text}` : text;
  // The mailbox sets the initial fields of tickets; its author was allowed to do so.
  const permissions = new Set([incidentKind.write.name, requestKind.write.name]);
  const desk = { ...act, caller: { ...act.caller, permissions } };
  const ticketId = await insertTicket(desk, prepared, { personId: person.id, description });
  const ticket = await requireTicket(ctx, ticketId);
  await attachFiles(act, ticket, { files: prepared.files, internal: false });
  return { state: "received", reason: follows ? "follow_up" : "new", ticket };
}

async function insertTicket(
  act: WriteContext,
  { mail, mailbox, ticket, verdict }: ReadMail,
  { personId, description }: { readonly personId: string; readonly description: string },
): Promise<string> {
  // Another mail may have closed the ticket in the meantime. The next attempt allocates a number.
  if (!ticket) throw new Error("The mail makes a ticket, and has no number for it.");
  const tag = verdict.kind === "message" ? verdict.tag : null;
  if (ticket.kind === "request") {
    const { itemId = "", values = {} } = mailbox.defaults;
    const words = [mail.subject, description].filter(Boolean).join("\n\n").slice(0, 10_000);
    const made = await submitRequest(act, { itemId, values, description: words }, ticket.request);
    return made.id;
  }
  const { impact, urgency, category } = mailbox.defaults;
  const made = await createIncident(
    act,
    {
      title: titleOf(mail),
      description,
      callerId: personId,
      teamId: mailbox.teamId,
      ...(impact !== undefined && { impact }),
      ...(urgency !== undefined && { urgency }),
      ...(category !== undefined && { category }),
      ...(tag !== null && { tags: [tag] }),
    },
    ticket.number,
  );
  return made.id;
}

async function requireTicket(ctx: WriteContext, id: string): Promise<FoundTicket> {
  const found = await findTicketById(ctx, id);
  if (!found) throw new Error(`There is no ticket ${id}, which was just made.`);
  return found;
}
