/** A mailbox: a team's address and the processing rules for incoming mails. */
import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { Level } from "../tickets/index.ts";

const RULES_MAX = 100;
const TEMPLATE_CHARACTERS_MAX = 5_000;

export const MailboxId = id("mbx");
export const MAILBOX_KINDS = ["smtp", "imap"] as const;

/** Initial fields of tickets created by mails. */
const Defaults = Type.Object(
  {
    kind: Type.Enum(["incident", "request"], {
      description: "Type of new tickets: an incident, or a request for a catalog item",
    }),
    itemId: Type.Optional(id("cat", "The requested catalog item. Only for requests")),
    values: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
        description: "Values of the item's form. Only for requests",
      }),
    ),
    impact: Type.Optional(Level),
    urgency: Type.Optional(Level),
    category: Type.Optional(text(100)),
  },
  { additionalProperties: false },
);

const template = (description: string) => text(TEMPLATE_CHARACTERS_MAX, description);

const Templates = Type.Object(
  {
    subject: Type.Optional(
      template("Subject of outgoing e-mails. Default: `[{{ticket.number}}] {{ticket.title}}`"),
    ),
    header: Type.Optional(template("Text before the message")),
    footer: Type.Optional(template("Text after the message")),
  },
  {
    additionalProperties: false,
    description:
      "With `{{ … }}` for `ticket` (`number`, `title`, `state`), `recipient.name`, `mailbox.name`, `link`",
  },
);

const Rule = Type.Object(
  {
    name: line(100),
    when: ConditionSchema,
    action: Type.Enum(["ignore", "tag"], {
      description: "`ignore` creates no ticket. `tag` creates a ticket with the tag",
    }),
    tag: Type.Optional(line(50)),
  },
  { additionalProperties: false },
);
export type Rule = Static<typeof Rule>;

const Imap = Type.Object(
  {
    host: line(253),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    security: Type.Enum(["tls", "starttls", "none"]),
    username: line(254),
    secret: Type.String({
      pattern: "^[A-Za-z_][A-Za-z0-9_]{0,99}$",
      description: "Name of the secret with the password",
    }),
    folder: line(200, "Usually `INBOX`"),
  },
  { additionalProperties: false, title: "ImapSettings" },
);
export type ImapSettings = Static<typeof Imap>;

/** The fields that people set and change. */
export const mailboxFields = {
  name: line(100, "Sender name of outgoing e-mails"),
  address: Type.String({
    minLength: 3,
    maxLength: 200,
    pattern: '^[^\\s@<>,;:"+]{1,40}@[^\\s@<>,;:"+]{1,149}$',
    description: "Stored in lower case. Must be unique in this installation",
  }),
  kind: Type.Enum([...MAILBOX_KINDS], {
    description:
      "`smtp`: our listener or the API receives the e-mails. `imap`: Millrace fetches the e-mails",
  }),
  teamId: nullable(id("tem", "The team of new tickets")),
  enabled: Type.Boolean(),
  acknowledge: Type.Boolean({
    description: "Whether senders get a confirmation with the ticket number",
  }),
  defaults: Defaults,
  templates: Templates,
  rules: Type.Array(Rule, { maxItems: RULES_MAX }),
  sendersHourlyMax: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "Maximum number of e-mails per sender and hour. Further e-mails are ignored",
  }),
  imap: nullable(Imap),
};

export const Mailbox = Type.Object(
  {
    id: MailboxId,
    ...mailboxFields,
    polledAt: nullable(Time),
    pollError: nullable(Type.String({ description: "Error of the last poll" })),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Mailbox" },
);

/** A stored mailbox, including the authority for its secret. */
export const StoredMailbox = Type.Object({
  ...Mailbox.properties,
  savedBy: Type.String(),
  permissions: nullable(Type.Array(Type.String())),
});
export type StoredMailbox = Static<typeof StoredMailbox> & { readonly revision: number };

export const MailboxInput = object({
  name: mailboxFields.name,
  address: mailboxFields.address,
  kind: mailboxFields.kind,
  teamId: Type.Optional(mailboxFields.teamId),
  enabled: Type.Optional(mailboxFields.enabled),
  acknowledge: Type.Optional(mailboxFields.acknowledge),
  defaults: Type.Optional(mailboxFields.defaults),
  templates: Type.Optional(mailboxFields.templates),
  rules: Type.Optional(mailboxFields.rules),
  sendersHourlyMax: Type.Optional(mailboxFields.sendersHourlyMax),
  imap: Type.Optional(mailboxFields.imap),
});
