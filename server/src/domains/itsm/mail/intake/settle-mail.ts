/** Settles a mail in one transaction: ticket or comment, files, row and event. */
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { sqlStateOf } from "#kernel/db/errors.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { MailBounced, MailIgnored, MailReceived } from "../events.ts";
import { countOfSender } from "../messages/store.ts";
import { findSurvivorId, findTicketById, writeComment } from "../../tickets/index.ts";
import { readMessageId } from "../outgoing/reply-address.ts";
import { addToTicket } from "./add-to-ticket.ts";
import { openTicket } from "./open-ticket.ts";
import type { MailOutcome, ReadMail } from "./outcome.ts";
import type { PreparedMail } from "./prepare-mail.ts";
import { findSender } from "./sender.ts";
import { findThread } from "./thread.ts";

const UNIQUE_VIOLATION = "23505";
const HOUR_MS = 3_600_000;
/** Limit of acknowledgements per sender and hour. Stops a loop with an autoresponder. */
const ACKNOWLEDGED_HOURLY_MAX = 5;

export async function settleMail(
  ctx: WriteContext,
  mailId: string,
  prepared: PreparedMail,
): Promise<void> {
  if (prepared.kind === "gone") return;
  const [row] = await queryRows(
    ctx.tx,
    "select from mails where id = $1 and state = 'waiting' for update",
    [mailId],
  );
  if (!row) return;
  if (prepared.kind === "failed") {
    const { reason, detail } = prepared;
    await writeOutcome(ctx, mailId, { state: "failed", reason, detail });
    return;
  }
  try {
    await ctx.savepoint(() => settleRead(ctx, prepared));
  } catch (error) {
    ctx.setActor(SYSTEM_ACTOR);
    if (sqlStateOf(error) === UNIQUE_VIOLATION) {
      await finish(ctx, prepared, { state: "ignored", reason: "duplicate" });
    } else if (prepared.isLastAttempt) {
      const detail = error instanceof Error ? error.message : String(error);
      await writeOutcome(ctx, mailId, { state: "failed", reason: "error", detail });
    } else throw error;
  }
}

async function settleRead(ctx: WriteContext, prepared: ReadMail): Promise<void> {
  await claimMessageId(ctx, prepared);
  const outcome = await decide(ctx, prepared);
  await finish(ctx, prepared, outcome);
}

/** Reserves the message id to ignore repeated mails. Waits for a concurrent mail using the same id. */
async function claimMessageId(ctx: WriteContext, { mail, waiting }: ReadMail): Promise<void> {
  await ctx.send(
    "update mails set message_id = $2, from_address = $3, from_name = $4, subject = $5 where id = $1",
    [waiting.id, mail.messageId, mail.from?.address ?? null, mail.from?.name ?? null, mail.subject],
  );
}

async function decide(ctx: WriteContext, prepared: ReadMail): Promise<MailOutcome> {
  const { mail, verdict, waiting, mailbox } = prepared;
  const { from } = mail;
  const partition = partitionOfCaller(ctx.caller);
  if (verdict.kind === "bounce") return recordBounce(ctx, prepared);
  if (!from) return { state: "ignored", reason: "no_sender" };
  const sender = await findSender(ctx.tx, from);
  const where = { tx: ctx.tx, services: ctx.services, partition };
  const thread = await findThread(where, mail, { recipient: waiting.recipient, sender });
  if (verdict.kind === "ignore") {
    const { reason, detail } = verdict;
    return { state: "ignored", reason, detail, ticket: thread };
  }
  const since = new Date(ctx.now.getTime() - HOUR_MS);
  const counts = await countOfSender(ctx.tx, {
    mailboxId: mailbox.id,
    address: from.address,
    since,
  });
  if (counts.mails > mailbox.sendersHourlyMax) {
    return { state: "ignored", reason: "rate", ticket: thread };
  }
  if (thread && !thread.kind.machine.finalStates.includes(thread.ticket.state)) {
    return addToTicket(ctx, prepared, { thread, sender });
  }
  const acknowledged = mailbox.acknowledge && counts.acknowledged < ACKNOWLEDGED_HOURLY_MAX;
  const follows = thread?.isParty ? (thread.duplicate ?? thread.ticket) : undefined;
  return { ...(await openTicket(ctx, prepared, { sender, follows })), acknowledged };
}

/** Records on a ticket that a mail about it was not delivered. */
async function recordBounce(ctx: WriteContext, { mail }: ReadMail): Promise<MailOutcome> {
  const key = { masterKey: ctx.services.masterKey, partition: partitionOfCaller(ctx.caller) };
  const ticketId = readMessageId(key, mail.report?.messageId ?? "");
  const ticket =
    ticketId === undefined
      ? undefined
      : await findTicketById(ctx, await findSurvivorId(ctx.tx, ticketId));
  if (!ticket) return { state: "ignored", reason: "foreign_report" };
  const { recipient, status, diagnostic } = mail.report ?? {};
  const why = diagnostic ?? (status ? `status ${status}` : "no reason was given");
  const body = `A mail to ${recipient ?? "somebody"} could not be delivered: ${why}`;
  const comment = writeComment(ctx, ticket, { body, internal: true, byAgent: false });
  return { state: "bounced", reason: status ?? "undeliverable", ticket, commentId: comment.id };
}

const EVENTS = { received: MailReceived, ignored: MailIgnored } as const;

/** Writes the outcome of a mail to its row and emits its event. */
async function finish(ctx: WriteContext, prepared: ReadMail, outcome: MailOutcome): Promise<void> {
  const { waiting, mailbox, mail } = prepared;
  const { state, reason, ticket } = outcome;
  const number = ticket && {
    kind: ticket.kind.kind,
    id: ticket.ticket.id,
    number: ticket.ticket.number,
  };
  await writeOutcome(ctx, waiting.id, outcome);
  void ctx.send(
    `update mails set message_id = $2, from_address = $3, from_name = $4, subject = $5, quoted = $6,
            notices = $7, tag = $8
      where id = $1`,
    [
      waiting.id,
      mail.messageId,
      mail.from?.address ?? null,
      mail.from?.name ?? null,
      mail.subject,
      mail.quoted === "" ? null : mail.quoted,
      mail.notices,
      prepared.verdict.kind === "message" ? prepared.verdict.tag : null,
    ],
  );
  const data = {
    id: waiting.id,
    mailboxId: mailbox.id,
    from: mail.from?.address ?? null,
    ticket: number ?? null,
    reason,
  };
  if (state === "bounced") {
    const { recipient = null, status = null } = mail.report ?? {};
    ctx.emit(MailBounced, { id: waiting.id }, { ...data, recipient, status });
  } else if (state !== "failed") {
    ctx.emit(EVENTS[state], { id: waiting.id }, data);
  }
}

async function writeOutcome(ctx: WriteContext, id: string, outcome: MailOutcome): Promise<void> {
  const { state, reason, detail = null, ticket, commentId = null, acknowledged = false } = outcome;
  await ctx.send(
    `update mails set state = $2, reason = $3, detail = left($4, 2000), ticket_kind = $5, ticket_id = $6,
            ticket_number = $7, comment_id = $8, acknowledged = $9, ended_at = $10
      where id = $1`,
    [
      id,
      state,
      reason,
      detail,
      ticket?.kind.kind ?? null,
      ticket?.ticket.id ?? null,
      ticket?.ticket.number ?? null,
      commentId,
      acknowledged,
      ctx.now,
    ],
  );
}
