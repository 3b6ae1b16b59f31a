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
      "`waiting` for its turn; `received`: in its ticket; `ignored`, `bounced` (a report about a mail " +
      "of ours), or `failed`, which can be tried again",
  }),
  reason: nullable(Type.String({ description: "Why, in a word" })),
  detail: nullable(Type.String({ description: "Why, in words" })),
  source: Type.Enum([...MAIL_SOURCES]),
  from: nullable(Type.String()),
  fromName: nullable(Type.String()),
  recipient: Type.String(),
  subject: nullable(Type.String()),
  size: Type.Integer({ description: "In bytes" }),
  ticket: nullable(MailTicket),
  commentId: nullable(Type.String({ description: "The comment that it became, if it did" })),
  notices: Type.Array(Type.String(), { description: "Things that were left out or repaired" }),
  tag: nullable(Type.String()),
  fileId: nullable(Type.String({ description: "The mail as it came, for as long as it is kept" })),
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
    quoted: nullable(
      Type.String({ description: "The rest of its text: what was quoted, and signatures" }),
    ),
  },
  { title: "MailMessageDetail" },
);
export type MailMessageDetail = Static<typeof MailMessageDetail>;
