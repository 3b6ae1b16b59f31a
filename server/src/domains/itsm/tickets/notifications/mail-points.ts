/** The mails about tickets, as far as other domains take part in them. */
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { TicketIdentity } from "../kind.ts";

/** Sends mails about a ticket that can be answered. */
export interface TicketMailer {
  /** Enqueues a mail of an event for each of these people; false where there is no mailbox that answers would go to. */
  enqueue(
    ctx: WriteContext<never>,
    event: RecordedEvent,
    recipientIds: readonly string[],
  ): Promise<boolean>;
}

export const TicketMailerPoint = extensionPoint<TicketMailer>("itsm.ticket_mailers");

/** Something below the words of a mail: a question, and links to answer it by. */
export interface TicketMailPart {
  readonly text: string;
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

/** Adds a part to the mails of some events, such as one that asks how content somebody is; called when one is sent. */
export type TicketMailPartBuilder = (
  platform: Platform,
  about: {
    readonly partition: Partition;
    readonly ticket: TicketIdentity;
    /** Such as `incident.resolved`. */
    readonly eventType: string;
    /** `usr_…` or `cnt_…`. */
    readonly recipientId: string;
  },
) => Promise<TicketMailPart | undefined>;

export const TicketMailPartPoint = extensionPoint<TicketMailPartBuilder>("itsm.ticket_mail_parts");
