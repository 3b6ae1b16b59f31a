import { notify, type NotificationSent } from "#domains/notifications/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { TicketMailerPoint } from "./mail-points.ts";

/** Maximum number of people notified per call. */
const RECIPIENTS_MAX = 1_000;

interface TicketMessage {
  readonly userIds: readonly string[];
  /** Follows the ticket number. */
  readonly title: string;
  /** Shown in the body below the actor. */
  readonly more?: string;
}

/** Notifies people about a ticket event in the ticket's conversation, except about their own actions. */
export async function notifyOfTicket(
  ctx: WriteContext<typeof NotificationSent>,
  event: RecordedEvent,
  { userIds, title, more = "" }: TicketMessage,
): Promise<void> {
  const { id: eventId, type: eventType, resource, actor, data } = event;
  // The author of a comment can act with a token, which has another id.
  const authors = [actor.id, eventType.endsWith(".comment_added") ? data["createdBy"] : undefined];
  const others = [...new Set(userIds)].filter((userId) => !authors.includes(userId));
  const { id, number, displayName } = resource;
  const message = {
    title: `${number} ${title}`,
    body: [`${displayName ?? ""}\nBy ${actor.name}`.trim(), more].filter(Boolean).join("\n\n"),
    about: { eventId, eventType, resource: { type: resource.type, id } },
    mail: {
      ...ticketMail({ id, number: number ?? id, title: displayName ?? "" }),
      send: (recipientIds: readonly string[]) => mailOfTicket(ctx, event, recipientIds),
    },
  };
  for (let start = 0; start < others.length; start += RECIPIENTS_MAX) {
    await notify(ctx, { ...message, userIds: others.slice(start, start + RECIPIENTS_MAX) });
  }
}

/** Enqueues mails that accept replies. Returns false if no domain sends such mails. */
async function mailOfTicket(
  ctx: WriteContext<never>,
  event: RecordedEvent,
  recipientIds: readonly string[],
): Promise<boolean> {
  const [mailer] = contributionsTo(TicketMailerPoint, ctx.services.contributions);
  return mailer ? mailer.enqueue(ctx, event, recipientIds) : false;
}

/** Returns the ticket link and conversation for mails. */
export function ticketMail({
  id,
  number,
  title,
}: {
  readonly id: string;
  readonly number: string;
  readonly title: string;
}) {
  return {
    path: `/tickets/${number}`,
    thread: { id, subject: `[${number}] ${title}`.trim() },
  } as const;
}
