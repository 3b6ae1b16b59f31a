import Type, { type Static } from "typebox";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { MailTicket } from "../events.ts";
import { MailboxId } from "../mailbox.ts";

export const MailId = id("eml");
export const MAIL_STATES = ["waiting", "received", "ignored", "bounced", "failed"] as const;
export const MAIL_SOURCES = ["smtp", "lmtp", "imap", "http"] as const;
export type MailSource = (typeof MAIL_SOURCES)[number];

const summary = {
  id: MailId,
  mailboxId: MailboxId,
  state: Type.Enum([...MAIL_STATES], {
    description:
      "`waiting`: not processed yet. `received`: added to a ticket. `ignored`. `bounced`: a delivery report for an outgoing e-mail. `failed`: can be retried",
  }),
  reason: nullable(Type.String({ description: "Reason code" })),
  detail: nullable(Type.String({ description: "Reason" })),
  source: Type.Enum([...MAIL_SOURCES]),
  from: nullable(Type.String()),
  fromName: nullable(Type.String()),
  recipient: Type.String(),
  subject: nullable(Type.String()),
  size: Type.Integer({ description: "Size in bytes" }),
  ticket: nullable(MailTicket),
  commentId: nullable(Type.String({ description: "The comment with the text of the e-mail" })),
  notices: Type.Array(Type.String(), { description: "Omitted or repaired parts" }),
  tag: nullable(Type.String()),
  fileId: nullable(
    Type.String({ description: "Original e-mail. Deleted after the retention period" }),
  ),
  createdAt: Time,
  endedAt: nullable(Time),
};

export const MailMessage = Type.Object(summary, { title: "MailMessage" });
export type MailMessage = Static<typeof MailMessage>;

export const MailMessageDetail = Type.Object(
  {
    ...summary,
    messageId: nullable(Type.String()),
    returnPath: nullable(Type.String()),
    quoted: nullable(Type.String({ description: "The remaining text: quotes and signatures" })),
  },
  { title: "MailMessageDetail" },
);
export type MailMessageDetail = Static<typeof MailMessageDetail>;
