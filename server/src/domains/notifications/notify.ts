import { type MemberRow, findMembersByIds } from "#domains/identity/accounts/index.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { enqueueMail } from "#kernel/mail/send-mail.ts";
import type { Mail } from "#kernel/mail/mailer.ts";
import { publicUrl } from "#kernel/settings.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { NotificationSent } from "./events.ts";
import { BODY_CHARACTERS_MAX, RECIPIENTS_MAX, TITLE_CHARACTERS_MAX } from "./notification.ts";
import * as preferences from "./preference-store.ts";
import * as store from "./store.ts";

/** The message of a notification. */
export interface Message {
  readonly title: string;
  readonly body: string;
  readonly about?: NotificationSubject | undefined;
}

/** The event of a notification, and its resource. */
export interface NotificationSubject {
  readonly eventId?: string;
  readonly eventType?: string;
  readonly resource?: { readonly type: string; readonly id: string };
}

type SendContext = WriteContext<typeof NotificationSent>;

/**
 * Notifies members of this workspace, in the transaction of `ctx`. Resolves to the ids of those
 * notified: users who are no active members are skipped.
 */
export async function notify(
  ctx: SendContext,
  { userIds, ...message }: Message & { readonly userIds: readonly string[] },
): Promise<string[]> {
  if (userIds.length > RECIPIENTS_MAX) {
    throw invalidField("/userIds", `must not have more than ${RECIPIENTS_MAX} items`);
  }
  const members = await findMembersByIds(ctx.tx, userIds);
  await deliver(ctx, members, message);
  return members.map(({ id }) => id);
}

/** Inserts one row, emits one event and enqueues, unless opted out, one e-mail for each member. */
export async function deliver(
  ctx: SendContext,
  members: readonly MemberRow[],
  { title, body, about = {} }: Message,
): Promise<void> {
  if (members.length === 0) return;
  const { now, caller } = ctx;
  const { eventId = null, eventType = null, resource = null } = about;
  const content = {
    title: truncate(title, TITLE_CHARACTERS_MAX),
    body: truncate(body, BODY_CHARACTERS_MAX),
  };
  const recipients = members.map(({ id }) => ({ id: newId("ntf", now.getTime()), userId: id }));
  await store.insert(ctx.tx, { recipients, ...content, eventId, eventType, resource, now });
  for (const { id, userId } of recipients) {
    const { environment } = caller;
    ctx.emit(NotificationSent, { id }, { id, userId, environment, eventId, eventType, resource });
  }
  await mailTo(ctx, members, content);
}

async function mailTo(
  ctx: SendContext,
  members: readonly MemberRow[],
  content: { readonly title: string; readonly body: string },
): Promise<void> {
  if (!ctx.services.mailer.available) return;
  const userIds = members.map(({ id }) => id);
  const optedOut = await preferences.findEmailOptOuts(ctx.tx, userIds);
  const mail = buildMail(ctx, content);
  for (const { id, email } of members) {
    if (!optedOut.has(id)) await enqueueMail(ctx, { ...mail, to: email });
  }
}

function buildMail(
  { caller: { environment }, services }: SendContext,
  { title, body }: { readonly title: string; readonly body: string },
): Omit<Mail, "to"> {
  // The subject names every environment but production.
  const prefix = environment === "production" ? "" : `[${environment}] `;
  return {
    // A subject is one line.
    subject: prefix + title.replaceAll(/\s+/g, " "),
    text:
      `${body}\n\n--\nMillrace, ${publicUrl(services)}\n` +
      `PUT {"email":false} to /api/v1/notifications/preferences to get no such e-mail.\n`,
  };
}

/** Bounds a text, since a rule may render more than an inbox shows. */
function truncate(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text;
}
