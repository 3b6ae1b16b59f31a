/** Enqueues ticket mails: for members together with notifications, and for contacts because they have no inbox. */
import type { ReaderContext, WriteContext } from "#kernel/contract.ts";
import { CAUSATION_DEPTH_MAX, type EventType, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { findContacts, findPerson } from "../../contacts/index.ts";
import {
  findTicketById,
  TICKET_KINDS,
  type TicketIdentity,
  type TicketMailer,
  toDuplicateEvents,
} from "../../tickets/index.ts";
import { hasMailbox } from "./mailbox-of-ticket.ts";
import { sendTicketMailJob } from "./send-job.ts";
import { TOLD_VERBS } from "./words.ts";

const TEXT_CHARACTERS_MAX = 20_000;

/** Mails for members; replace the plain mails of their notifications. */
export const ticketMailer: TicketMailer = {
  async enqueue(ctx, event, recipientIds) {
    if (!ctx.services.mailer.available || !(await hasMailbox(ctx.tx))) return false;
    enqueueMails(ctx, event, recipientIds);
    return true;
  },
};

/** Notifies contacts about changes to their tickets by others. */
export const contactReader = reader({
  name: "mail.tell_contacts",
  on: TICKET_KINDS.flatMap((kind) => TOLD_VERBS.map((verb) => `${kind}.${verb}`)),
  startsAt: "end",
  emits: [] as readonly EventType[],
  async handle(ctx, events) {
    if (!ctx.services.mailer.available) return;
    const shallow = events.filter(({ depth }) => depth < CAUSATION_DEPTH_MAX);
    if (shallow.length === 0 || !(await hasMailbox(ctx.tx))) return;
    for (const event of shallow) {
      const found = await findTicketById(ctx, event.resource.id);
      if (!found) continue;
      const asker = askerOf(found.ticket);
      const isInternal = event.data["internal"] === true;
      const isOwn = isComment(event) && event.data["createdBy"] === asker;
      if (!isInternal && !isOwn) await tellContact(ctx, event, asker);
      for (const { event: copy, ticket } of await toDuplicateEvents(ctx, event)) {
        if (askerOf(ticket) !== asker) await tellContact(ctx, copy, askerOf(ticket));
      }
    }
  },
});

function askerOf({ requestedFor, callerId, createdBy }: TicketIdentity): string {
  return requestedFor ?? callerId ?? createdBy;
}

/** Enqueues the mail about an event for a contact. Members get theirs with their notifications. */
async function tellContact(
  ctx: ReaderContext<EventType>,
  event: RecordedEvent,
  asker: string,
): Promise<void> {
  if (!asker.startsWith("cnt_") || !(await isTellableContact(ctx.tx, asker))) return;
  enqueueMails(ctx.because(event), event, [asker]);
}

/** False for a contact without an address, or with the address of a member, who is notified instead. */
async function isTellableContact(
  tx: Parameters<typeof findPerson>[0],
  id: string,
): Promise<boolean> {
  const [contact] = await findContacts(tx, [id]);
  if (!contact?.address) return false;
  return !(await findPerson(tx, contact.address))?.isMember;
}

function enqueueMails(
  ctx: WriteContext<never>,
  event: RecordedEvent,
  recipientIds: readonly string[],
): void {
  const { type: eventType, resource, data } = event;
  const { workspace, environment } = partitionOfCaller(ctx.caller);
  const text = [data["resolution"], data["reason"], data["notes"]].find(
    (value): value is string => typeof value === "string" && value !== "",
  );
  for (const recipientId of recipientIds) {
    ctx.enqueue(sendTicketMailJob, {
      ticketId: resource.id,
      recipientId,
      eventType,
      ...(isComment(event) && { commentId: String(data["id"]) }),
      ...(!isComment(event) && text !== undefined && { text: text.slice(0, TEXT_CHARACTERS_MAX) }),
      workspace,
      environment,
    });
  }
}

function isComment({ type }: RecordedEvent): boolean {
  return type.endsWith(".comment_added");
}
