import { findInTable, ReferenceSourcePoint } from "#kernel/contributions/reference-source.ts";
import { domain } from "#kernel/domain.ts";
import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import { contribute } from "#kernel/extension-point.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { TicketMailerPoint } from "../tickets/index.ts";
import * as events from "./events.ts";
import { findPolledJob, pollJob } from "./imap/poll-job.ts";
import { settleMailJob } from "./intake/settle-job.ts";
import { mailListener } from "./listener/listener.ts";
import { mailboxes as mailboxResource, unattendedMailboxes } from "./mailbox-resource.ts";
import {
  getMessage,
  getTransport,
  listMessages,
  receiveMail,
  retryMessage,
  testMailbox,
} from "./messages/operations.ts";
import { mailRetentionJob } from "./messages/retention.ts";
import { contactReader, ticketMailer } from "./outgoing/mailer.ts";
import { sendTicketMailJob } from "./outgoing/send-job.ts";
import { MailRead, MailReceive, MailWrite } from "./permissions.ts";

export { mailListener } from "./listener/listener.ts";

/** Mailboxes of teams, incoming mails, and outgoing replies. */
export const mail = domain({
  name: "mail",
  summary: "Team mailboxes: incoming e-mails create tickets, and replies are sent by e-mail.",
  permissions: [MailRead, MailWrite, MailReceive],
  events: [
    ...Object.values(mailboxResource.events),
    events.MailAccepted,
    events.MailReceived,
    events.MailIgnored,
    events.MailBounced,
    events.MailRetried,
    events.MailSent,
    events.MailboxTested,
  ],
  operations: [
    ...mailboxResource.operations,
    testMailbox,
    listMessages,
    getMessage,
    getTransport,
    retryMessage,
    receiveMail,
  ],
  readers: [contactReader],
  jobs: [settleMailJob, sendTicketMailJob, findPolledJob, pollJob, mailRetentionJob],
  engines: [mailListener],
  contributions: [
    contribute(TicketMailerPoint, ticketMailer),
    contribute(UnattendedWorkPoint, unattendedMailboxes),
    contribute(ReferenceSourcePoint, {
      kind: "mailbox",
      permission: MailRead,
      find: findInTable("mailboxes", "imap"),
    }),
    contribute(FileOwnerPoint, {
      type: "mail",
      canRead: async ({ caller }) => caller.permissions.has(MailRead.name),
    }),
    ...events.mailEventVisibility.map((view) => contribute(EventVisibilityPoint, view)),
  ],
});
