import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { checkCondition } from "#kernel/condition/condition.ts";
import type { Platform } from "#kernel/contract.ts";
import { checkTemplate } from "#kernel/expression/template.ts";
import {
  assertNoErrors,
  failure,
  type FieldError,
  permissionFailure,
} from "#kernel/operation/failure.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import { resource } from "#kernel/resource/resource.ts";
import { patch } from "#kernel/schema/schema.ts";
import { SecretsUse } from "#kernel/secrets/secrets.ts";
import { findActiveItem } from "../catalog/index.ts";
import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { assertReferencesExist } from "../tickets/index.ts";
import {
  type ImapSettings,
  Mailbox,
  mailboxFields,
  MailboxInput,
  StoredMailbox,
} from "./mailbox.ts";
import { MailRead, MailWrite } from "./permissions.ts";

const MAILBOXES_MAX = 200;

const AddressTaken = failure(
  "address_taken",
  409,
  "Another mailbox of this installation has this address.",
  "mailboxes_address",
);
const TooManyMailboxes = failure(
  "too_many_mailboxes",
  409,
  `A workspace can have at most ${MAILBOXES_MAX} mailboxes.`,
);

const cursor = (column: string) =>
  `(select c.${column} from mailbox_cursors c where c.mailbox_id = mailboxes.id)`;

export const mailboxes = resource({
  name: "mailbox",
  plural: "mailboxes",
  effect: "drastic",
  path: "/api/v1/itsm/mailboxes",
  table: "mailboxes",
  idPrefix: "mbx",
  schema: Mailbox,
  stored: StoredMailbox,
  json: ["defaults", "templates", "rules", "imap"],
  computed: { polledAt: cursor("polled_at"), pollError: cursor("error") },
  input: MailboxInput,
  change: patch(mailboxFields),
  defaults: {
    teamId: null,
    enabled: true,
    acknowledge: true,
    defaults: { kind: "incident" },
    templates: {},
    rules: [],
    sendersHourlyMax: 100,
    imap: null,
  },
  permissions: { read: MailRead, write: MailWrite },
  list: { order: "name", search: ["name", "address"] },
  unique: AddressTaken,
  limit: { max: MAILBOXES_MAX, failure: TooManyMailboxes },
  async prepare(platform, input, caller, before) {
    assertNoErrors(inputErrors(input));
    const imap = input.imap === undefined ? before?.imap : input.imap;
    if (input.imap) await assertImap(platform, input.imap, partitionOfCaller(caller));
    if (input.imap && !caller.permissions.has(SecretsUse.name)) {
      throw permissionFailure(SecretsUse.name);
    }
    const kind = input.kind ?? before?.kind;
    assertNoErrors(
      (kind === "imap") === (imap !== null && imap !== undefined)
        ? []
        : [
            {
              path: "/imap",
              message: "is only allowed for a mailbox of the kind imap, which requires it",
            },
          ],
    );
  },
  async check(ctx, { address, ...input }, before) {
    const { defaults, teamId } = input;
    await assertReferencesExist(ctx, { teamId });
    if (defaults?.kind === "request")
      await findActiveItem(ctx.tx, defaults.itemId ?? "", "/defaults/itemId");
    const { runAs: savedBy, permissions } = authorityOf(ctx.caller);
    return {
      ...input,
      ...(address !== undefined && { address: address.toLowerCase() }),
      ...((!before || input.imap !== undefined) && {
        savedBy,
        permissions: permissions && [...permissions],
      }),
    };
  },
  operations: {
    create: {
      summary: "Create a mailbox",
      description:
        "E-mails to its address create tickets, or are added to the ticket that they reply to. Addresses with a `+` suffix belong to the same mailbox. Using a secret in `imap` requires `secrets:use`.",
    },
    delete: {
      summary: "Delete a mailbox and its list of e-mails",
      description: "Tickets are kept.",
    },
  },
  docs: {
    noun: "a mailbox",
    nouns: "mailboxes by name",
    events: {
      created: "A mailbox was created.",
      updated: "A mailbox was updated.",
      deleted: "A mailbox was deleted.",
    },
    examples: {
      id: "mbx_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { name: "Service desk", address: "desk@example.com", kind: "smtp" },
      change: { acknowledge: false },
    },
  },
});

type Input = Parameters<NonNullable<typeof mailboxes.declaration.prepare>>[1];

function inputErrors({ rules = [], templates = {} }: Input): FieldError[] {
  return [
    ...rules.flatMap(({ when, action, tag }, index) => [
      ...checkCondition(when).map(({ path, message }) => ({
        path: `/rules/${index}/when${path}`,
        message,
      })),
      ...(action === "tag" && tag === undefined
        ? [{ path: `/rules/${index}/tag`, message: "is required for a rule with the action tag" }]
        : []),
    ]),
    ...checkTemplate(templates).map(({ path, message }) => ({
      path: `/templates${path}`,
      message,
    })),
  ];
}

async function assertImap(
  { outbound, secrets }: Platform,
  { host, secret }: ImapSettings,
  partition: Partition,
): Promise<void> {
  const errors: FieldError[] = [];
  try {
    outbound.checkHost(host);
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    errors.push({ path: "/imap/host", message: error.message });
  }
  const [missing] = await secrets.findMissing(partition, [secret]);
  if (missing !== undefined) {
    errors.push({ path: "/imap/secret", message: `contains unknown secrets: ${missing}` });
  }
  assertNoErrors(errors);
}

const LIST = `
  select id, name, environment::text as environment from mailboxes
   where saved_by = $1 and imap is not null order by id limit $2`;

/** IMAP mailboxes that use a secret with the rights of a member. */
export const unattendedMailboxes: UnattendedWork = {
  kind: "mailbox",
  list: async (tx, userId, limit) => await queryRows<UnattendedItem>(tx, LIST, [userId, limit]),
};
