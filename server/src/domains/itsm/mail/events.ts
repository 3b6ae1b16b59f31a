import { viewerLookup } from "#domains/identity/roles/index.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";
import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, nullable } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "../tickets/index.ts";
import { MailboxId } from "./mailbox.ts";
import { MailRead } from "./permissions.ts";

export const MailTicket = Type.Object(
  { kind: Type.Enum([...TICKET_KINDS]), id: Type.String(), number: Type.String() },
  { title: "MailTicket" },
);

/** A mail in events, without its text, because the log has more readers than tickets. */
const MailData = Type.Object(
  {
    id: id("eml"),
    mailboxId: MailboxId,
    from: nullable(Type.String({ description: "Address in the From header" })),
    ticket: nullable(MailTicket),
    reason: Type.String({
      description:
        "How the e-mail was matched to a ticket, or why not: `new`, `reply`, `reply_address`, `subject`, `follow_up`, `duplicate`, `auto_submitted`, `loop`, `own_address`, `rule`, `rate`, …",
    }),
  },
  { title: "MailData" },
);

export const MailAccepted = event("mail.accepted", {
  resource: "mail",
  summary: "An e-mail to a mailbox was received. A later event contains the outcome.",
  data: Type.Object(
    { id: id("eml"), mailboxId: MailboxId, size: Type.Integer() },
    { title: "MailAcceptedData" },
  ),
});

export const MailReceived = event("mail.received", {
  resource: "mail",
  summary: "An e-mail created a ticket or was added to one.",
  data: MailData,
});

export const MailIgnored = event("mail.ignored", {
  resource: "mail",
  summary: "An e-mail was ignored. `reason` contains why.",
  data: MailData,
});

export const MailBounced = event("mail.bounced", {
  resource: "mail",
  summary: "Another mail server reported that an outgoing e-mail was not delivered.",
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
  summary: "A member retried a failed e-mail.",
  data: MailData,
});

export const MailSent = event("mail.sent", {
  resource: "mail",
  summary: "An e-mail about a ticket was passed to the mail server.",
  data: Type.Object(
    {
      ticket: MailTicket,
      mailboxId: nullable(MailboxId),
      recipientId: Type.String({ description: "`usr_…` or `cnt_…`" }),
      messageId: Type.String(),
      about: Type.String({ description: "Type of the event that caused the e-mail" }),
    },
    { title: "MailSentData" },
  ),
});

export const MailboxTested = event("mailbox.tested", {
  resource: "mailbox",
  summary: "A member tested the connection of a mailbox.",
  data: Type.Object({ ok: Type.Boolean() }, { title: "MailboxTestedData" }),
});

/** Events of mails contain external addresses, so only members who can see mails see them. */
export const mailEventVisibility: readonly EventVisibility[] = ["mail", "mailbox"].map(
  (resourceType) => ({
    resourceType,
    async filtersFor(position, events) {
      const viewerOf = await viewerLookup(position);
      return events.map((event) => (person) => {
        // Webhooks and workflows belong to the workspace, and continue after their author leaves.
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
