/** A mailbox: an address of a team, and what becomes of the mails to it. */
import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { Level } from "../tickets/index.ts";

const RULES_MAX = 100;
const TEMPLATE_CHARACTERS_MAX = 5_000;

export const MailboxId = id("mbx");
export const MAILBOX_KINDS = ["smtp", "imap"] as const;

/** How tickets begin that mails make. */
const Defaults = Type.Object(
  {
    kind: Type.Enum(["incident", "request"], {
      description: "What a mail makes: an incident, or a request for an item of the catalog",
    }),
    itemId: Type.Optional(id("cat", "The item that is asked for; of a request")),
    values: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
        description: "Of the item's form; of a request",
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
      template("Of the mails that go out; `[{{ticket.number}}] {{ticket.title}}` unless given"),
    ),
    header: Type.Optional(template("Above what is told")),
    footer: Type.Optional(template("Below it")),
  },
  {
    additionalProperties: false,
    description:
      "With `{{ … }}` over `ticket` (`number`, `title`, `state`), `recipient.name`, `mailbox.name`, `link`",
  },
);

const Rule = Type.Object(
  {
    name: line(100),
    when: ConditionSchema,
    action: Type.Enum(["ignore", "tag"], {
      description: "`ignore` makes nothing of the mail; `tag` makes a ticket that bears the tag",
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
      description: "The name of the secret that is the password",
    }),
    folder: line(200, "`INBOX`, mostly"),
  },
  { additionalProperties: false, title: "ImapSettings" },
);
export type ImapSettings = Static<typeof Imap>;

/** The fields that people set and change. */
export const mailboxFields = {
  name: line(100, "The name that its mails are from"),
  address: Type.String({
    minLength: 3,
    maxLength: 200,
    pattern: '^[^\\s@<>,;:"+]{1,40}@[^\\s@<>,;:"+]{1,149}$',
    description: "Kept in lower case; no other mailbox of this installation has it",
  }),
  kind: Type.Enum([...MAILBOX_KINDS], {
    description: "`smtp`: mails are sent to our listener, or handed in; `imap`: they are fetched",
  }),
  teamId: nullable(id("tem", "The team that its tickets go to")),
  enabled: Type.Boolean(),
  acknowledge: Type.Boolean({ description: "Whether who writes is told the number of the ticket" }),
  defaults: Defaults,
  templates: Templates,
  rules: Type.Array(Rule, { maxItems: RULES_MAX }),
  sendersHourlyMax: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "Mails of one sender in an hour; further ones are ignored",
  }),
  imap: nullable(Imap),
};

export const Mailbox = Type.Object(
  {
    id: MailboxId,
    ...mailboxFields,
    polledAt: nullable(Time),
    pollError: nullable(Type.String({ description: "Why the last poll failed, if it did" })),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Mailbox" },
);

/** A mailbox as it is stored: with the authority for its secret. */
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
