/** Interfaces of ticket mails for other domains. */
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { TicketIdentity } from "../kind.ts";

/** Sends mails about tickets that accept replies. */
export interface TicketMailer {
  /** Enqueues a mail about an event for each person. Returns false if no mailbox for replies exists. */
  enqueue(
    ctx: WriteContext<never>,
    event: RecordedEvent,
    recipientIds: readonly string[],
  ): Promise<boolean>;
}

export const TicketMailerPoint = extensionPoint<TicketMailer>("itsm.ticket_mailers");

/** A part below the text of a mail: a question with response links. */
export interface TicketMailPart {
  readonly text: string;
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

/** Adds content to event mails, such as a satisfaction question. Called when sending. */
export type TicketMailPartBuilder = (
  platform: Platform,
  about: {
    readonly partition: Partition;
    readonly ticket: TicketIdentity;
    /** For example `incident.resolved`. */
    readonly eventType: string;
    /** `usr_…` or `cnt_…`. */
    readonly recipientId: string;
  },
) => Promise<TicketMailPart | undefined>;

export const TicketMailPartPoint = extensionPoint<TicketMailPartBuilder>("itsm.ticket_mail_parts");
