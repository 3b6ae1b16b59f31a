import { queryRows } from "#kernel/db/statement.ts";
import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";

const LIST = `
  select id, name, environment::text as environment from mailboxes
   where saved_by = $1 and imap is not null order by id limit $2`;

/** Mailboxes that are fetched from with a secret, by the right of a member. */
export const unattendedMailboxes: UnattendedWork = {
  kind: "mailbox",
  list: async (tx, userId, limit) =>
    (await queryRows(tx, LIST, [userId, limit])) as unknown as UnattendedItem[],
};
