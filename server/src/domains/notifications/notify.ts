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

/** What people are told. */
export interface Message {
  readonly title: string;
  readonly body: string;
  readonly about?: About | undefined;
}

/** The event that they are told of, and the thing that it is about. */
export interface About {
  readonly eventId?: string;
  readonly eventType?: string;
  readonly resource?: { readonly type: string; readonly id: string };
}

type Sending = WriteContext<typeof NotificationSent>;

/**
 * Tells members of this workspace something, as part of the act that `ctx` belongs to. Resolves to the
 * ids of those who were told: whoever is no active member is passed over.
 */
export async function notify(
  ctx: Sending,
  { userIds, ...message }: Message & { readonly userIds: readonly string[] },
): Promise<string[]> {
  if (userIds.length > RECIPIENTS_MAX) {
    throw invalidField("/userIds", `must not have more than ${RECIPIENTS_MAX} items`);
  }
  const members = await findMembersByIds(ctx.tx, userIds);
  await deliver(ctx, members, message);
  return members.map(({ id }) => id);
}

/** One row, one event and, where it is wanted, one e-mail for each of the members. */
export async function deliver(
  ctx: Sending,
  members: readonly MemberRow[],
  { title, body, about = {} }: Message,
): Promise<void> {
  if (members.length === 0) return;
  const { now, caller } = ctx;
  const { eventId = null, eventType = null, resource = null } = about;
  const words = { title: cut(title, TITLE_CHARACTERS_MAX), body: cut(body, BODY_CHARACTERS_MAX) };
  const recipients = members.map(({ id }) => ({ id: newId("ntf", now.getTime()), userId: id }));
  await store.insert(ctx.tx, { recipients, ...words, eventId, eventType, resource, now });
  for (const { id, userId } of recipients) {
    const { environment } = caller;
    ctx.emit(NotificationSent, { id }, { id, userId, environment, eventId, eventType, resource });
  }
  await mailTo(ctx, members, words);
}

async function mailTo(
  ctx: Sending,
  members: readonly MemberRow[],
  words: { readonly title: string; readonly body: string },
): Promise<void> {
  if (!ctx.services.mailer.available) return;
  const userIds = members.map(({ id }) => id);
  const unwilling = await preferences.withoutEmail(ctx.tx, userIds);
  const mail = mailOf(ctx, words);
  for (const { id, email } of members) {
    if (!unwilling.has(id)) await enqueueMail(ctx, { ...mail, to: email });
  }
}

function mailOf(
  { caller: { environment }, services }: Sending,
  { title, body }: { readonly title: string; readonly body: string },
): Omit<Mail, "to"> {
  // Nobody should take a rehearsal for the real thing.
  const where = environment === "production" ? "" : `[${environment}] `;
  return {
    // A subject is one line.
    subject: where + title.replaceAll(/\s+/g, " "),
    text:
      `${body}\n\n--\nMillrace, ${publicUrl(services)}\n` +
      `PUT {"email":false} to /api/v1/notifications/preferences to get no such e-mail.\n`,
  };
}

/** What a rule makes of an event may be longer than an inbox shows. */
function cut(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text;
}
