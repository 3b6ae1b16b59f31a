import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { MailMessage, MailMessageDetail } from "./message.ts";

const COLUMNS = `
  id, mailbox_id as "mailboxId", state, reason, detail, source, from_address as "from",
  from_name as "fromName", recipient, subject, size, comment_id as "commentId", notices, tag,
  file_id as "fileId", created_at as "createdAt", ended_at as "endedAt",
  case when ticket_id is not null then
    json_build_object('kind', ticket_kind, 'id', ticket_id, 'number', ticket_number) end as ticket`;

/** Lists a mailbox's mails before an id, newest first. */
export async function listMails(
  tx: Tx,
  mailboxId: string,
  page: { readonly before: string; readonly state: string | undefined; readonly limit: number },
): Promise<readonly MailMessage[]> {
  return queryRows<MailMessage>(
    tx,
    `select ${COLUMNS} from mails
      where mailbox_id = $1 and id < $2 and ($3::text is null or state = $3) order by id desc limit $4`,
    [mailboxId, page.before, page.state ?? null, page.limit],
  );
}

/** Throws 404 if the mailbox does not contain the mail. */
export async function getMail(tx: Tx, mailboxId: string, id: string): Promise<MailMessageDetail> {
  const [row] = await queryRows<MailMessageDetail>(
    tx,
    `select ${COLUMNS}, message_id as "messageId", return_path as "returnPath", quoted
       from mails where mailbox_id = $1 and id = $2`,
    [mailboxId, id],
  );
  if (!row) throw new Failure(NotFound);
  return row;
}

/** An accepted mail that is not processed yet. */
export interface WaitingMail {
  readonly id: string;
  readonly mailboxId: string;
  readonly returnPath: string | null;
  readonly recipient: string;
  readonly fileId: string | null;
  readonly size: number;
  readonly createdAt: string;
}

/** Finds an unprocessed mail. */
export async function findWaiting(tx: Tx, id: string): Promise<WaitingMail | undefined> {
  const [row] = await queryRows<WaitingMail>(
    tx,
    `select id, mailbox_id as "mailboxId", return_path as "returnPath", recipient,
            file_id as "fileId", size, created_at as "createdAt"
       from mails where id = $1 and state = 'waiting'`,
    [id],
  );
  return row;
}

/** Returns the message ids of the first and last mail, used by mail clients to group the conversation. */
export async function findThreadIds(tx: Tx, ticketId: string): Promise<readonly string[]> {
  const rows = await queryRows(
    tx,
    `(select message_id, id from mails where ticket_id = $1 and message_id is not null order by id limit 1)
     union
     (select message_id, id from mails where ticket_id = $1 and message_id is not null order by id desc limit 1)
     order by id`,
    [ticketId],
  );
  return rows.map((row) => String(row["message_id"]));
}

/** Finds the ticket of an earlier mail by message ids. */
export async function findTicketOfMail(
  tx: Tx,
  messageIds: readonly string[],
): Promise<string | undefined> {
  if (messageIds.length === 0) return undefined;
  const [row] = await queryRows(
    tx,
    `select ticket_id as "ticketId" from mails
      where message_id = any ($1::text[]) and ticket_id is not null and state <> 'ignored'
      order by id desc limit 1`,
    [messageIds],
  );
  return row && String(row["ticketId"]);
}

/** Counts the mails of a sender to a mailbox since a time, and the acknowledged ones. */
export async function countOfSender(
  tx: Tx,
  { mailboxId, address, since }: { mailboxId: string; address: string; since: Date },
): Promise<{ readonly mails: number; readonly acknowledged: number }> {
  const [row] = await queryRows(
    tx,
    `select count(*)::int as mails, count(*) filter (where acknowledged)::int as acknowledged
       from mails where mailbox_id = $1 and from_address = $2 and created_at > $3`,
    [mailboxId, address, since],
  );
  return { mails: Number(row?.["mails"] ?? 0), acknowledged: Number(row?.["acknowledged"] ?? 0) };
}
