import { viewerLookup } from "#domains/identity/roles/index.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";
import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, nullable } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "../tickets/index.ts";
import { MailboxId } from "./mailbox.ts";
import { MailRead } from "./permissions.ts";

/** The ticket of a mail. */
export const MailTicket = Type.Object(
  { kind: Type.Enum([...TICKET_KINDS]), id: Type.String(), number: Type.String() },
  { title: "MailTicket" },
);

/** A mail in events: without its words, since more people read the log than tickets. */
const MailData = Type.Object(
  {
    id: id("eml"),
    mailboxId: MailboxId,
    from: nullable(Type.String({ description: "The address that it says it is from" })),
    ticket: nullable(MailTicket),
    reason: Type.String({
      description:
        "How it came to its ticket, or why to none: `new`, `reply`, `reply_address`, `subject`, " +
        "`follow_up`, `duplicate`, `auto_submitted`, `loop`, `own_address`, `rule`, `rate`, …",
    }),
  },
  { title: "MailData" },
);

export const MailAccepted = event("mail.accepted", {
  resource: "mail",
  summary: "A mail to a mailbox was stored; what becomes of it is told next.",
  data: Type.Object(
    { id: id("eml"), mailboxId: MailboxId, size: Type.Integer() },
    { title: "MailAcceptedData" },
  ),
});

export const MailReceived = event("mail.received", {
  resource: "mail",
  summary: "A mail made a ticket, or was added to one.",
  data: MailData,
});

export const MailIgnored = event("mail.ignored", {
  resource: "mail",
  summary: "Nothing was made of a mail; `reason` says why.",
  data: MailData,
});

export const MailBounced = event("mail.bounced", {
  resource: "mail",
  summary: "A mail of ours could not be delivered, as another mail server reports.",
  data: Type.Object(
    {
      ...MailData.properties,
      recipient: nullable(Type.String()),
      status: nullable(Type.String({ description: "Such as `5.1.1`" })),
    },
    { title: "MailBouncedData" },
  ),
});

export const MailRetried = event("mail.retried", {
  resource: "mail",
  summary: "Somebody had a failed mail tried again.",
  data: MailData,
});

export const MailSent = event("mail.sent", {
  resource: "mail",
  summary: "A mail about a ticket was given to the mail server.",
  data: Type.Object(
    {
      ticket: MailTicket,
      mailboxId: nullable(MailboxId),
      recipientId: Type.String({ description: "`usr_…` or `cnt_…`" }),
      messageId: Type.String(),
      about: Type.String({ description: "The type of the event that it tells of" }),
    },
    { title: "MailSentData" },
  ),
});

export const MailboxTested = event("mailbox.tested", {
  resource: "mailbox",
  summary: "Somebody had the connection of a mailbox tried.",
  data: Type.Object({ ok: Type.Boolean() }, { title: "MailboxTestedData" }),
});

/** Events of mails name people outside and what they wrote to: they are for those who may see mails. */
export const mailEventVisibility: readonly EventVisibility[] = ["mail", "mailbox"].map(
  (resourceType) => ({
    resourceType,
    async filtersFor(position, events) {
      const viewerOf = await viewerLookup(position);
      return events.map((event) => (person) => {
        // A webhook or a workflow belongs to the workspace, and goes on when its author has left.
        if (!person || person.roles.length === 0) return event;
        return viewerOf(person).permissions.has(MailRead.name) ? event : undefined;
      });
    },
    async visibleSql(position, person) {
      const viewer = (await viewerLookup(position))(person);
      return viewer.permissions.has(MailRead.name) ? "true" : "false";
    },
  }),
);
