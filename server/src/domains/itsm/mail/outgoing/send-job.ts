/**
 * Sends one mail about a ticket. The job contains ids only: the content and the access of the recipient are read when
 * it is sent. So internal comments and members who left are respected.
 */
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { type Mailer } from "#kernel/mail/mailer.ts";
import { job } from "#kernel/work/job.ts";
import { TICKET_KINDS, TicketMailPartPoint } from "../../tickets/index.ts";
import { MailSent } from "../events.ts";
import { LOOP_HEADER } from "../intake/verdict.ts";
import { composeBodies } from "./compose.ts";
import { readDraft, type TicketMailDraft } from "./draft.ts";
import { readFiles } from "./files.ts";
import { type TicketMailPayload, TicketMailPayloadSchema } from "./payload.ts";
import { buildMessageId, replyAddress } from "./reply-address.ts";
import { renderTemplates } from "./templates.ts";

/** The sent mail in its event. */
interface SentMail {
  readonly draft: TicketMailDraft;
  readonly messageId: string;
}

export const sendTicketMailJob = job({
  kind: "mail.send",
  payload: TicketMailPayloadSchema,
  emits: [MailSent],
  timeoutMs: 60_000,
  effect: (platform, payload, { id }) => sendTicketMail(platform, payload, id),
  async run(ctx, { eventType, recipientId }, sent) {
    if (!sent) return;
    const { ticket, kind } = sent.draft.found;
    const number = {
      kind: TICKET_KINDS.find((name) => name === kind.kind) ?? "incident",
      id: ticket.id,
      number: ticket.number,
    } as const;
    ctx.emit(
      MailSent,
      { id: sent.messageId.slice(0, 100) },
      {
        ticket: number,
        mailboxId: sent.draft.mailbox.id,
        recipientId,
        messageId: sent.messageId,
        about: eventType,
      },
    );
  },
});

async function sendTicketMail(
  platform: Platform,
  payload: TicketMailPayload,
  id: string,
): Promise<SentMail | undefined> {
  const { workspace, environment, eventType, recipientId } = payload;
  const partition: Partition = { workspace, environment };
  const draft = await platform.db.read(partition, (tx) =>
    readDraft({ tx, services: platform }, payload),
  );
  if (!draft || !platform.mailer.available) return undefined;
  const { found, recipient, mailbox, change, link, threadIds } = draft;
  const key = { masterKey: platform.masterKey, partition };
  const domain = mailbox.address.split("@")[1] ?? "localhost";
  const messageId = buildMessageId(key, { ticketId: found.ticket.id, id, domain });
  const [words, files, parts] = await Promise.all([
    renderTemplates(platform, workspace, { mailbox, found, recipient, link }),
    readFiles(platform, partition, draft.fileIds),
    readParts(platform, { partition, ticket: found.ticket, eventType, recipientId }),
  ]);
  const { subject, header, footer } = words;
  const bodies = composeBodies({ change, header, footer, link, parts, leftOut: files.leftOut });
  const mail: Parameters<Mailer["sendComposed"]>[0] = {
    to: recipient.address,
    from: { name: mailbox.name, address: mailbox.address },
    replyTo: replyAddress(key, mailbox.address, {
      number: found.ticket.number,
      agentId: recipient.isAgent ? recipient.id : undefined,
    }),
    subject,
    ...bodies,
    messageId,
    references: [`${found.ticket.id}@${domain}`, ...threadIds],
    headers: {
      [LOOP_HEADER]: mailbox.id,
      "X-Auto-Response-Suppress": "OOF, AutoReply",
      ...(draft.isAutomatic && { "Auto-Submitted": "auto-generated" }),
    },
    attachments: files.attachments,
  };
  await platform.mailer.sendComposed(mail);
  return { draft, messageId };
}

async function readParts(
  platform: Platform,
  about: Parameters<NonNullable<(typeof TicketMailPartPoint)["contributes"]>>[1],
) {
  const builders = contributionsTo(TicketMailPartPoint, platform.contributions);
  const parts = await Promise.all(builders.map((build) => build(platform, about)));
  return parts.filter((part) => part !== undefined);
}
