import { sql } from "kysely";
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
  readonly mail?: MailPlace | undefined;
}

/** The presentation of a message as an e-mail. */
export interface MailPlace {
  /** The path of the linked page, relative to the public URL; the page of the notification by default. */
  readonly path?: `/${string}`;
  /** The conversation: e-mails with the same id and subject are grouped. */
  readonly thread?: { readonly id: string; readonly subject: string };
  /** A link that acts for one person without signing in, shown above the link to the page. */
  readonly link?: (userId: string) => { readonly label: string; readonly path: string };
  /** Also sent to members who turned e-mail off, unless `noEmailFor` excludes the event type. */
  readonly isUrgent?: true;
  /** Sends custom e-mails to those who want e-mails; returns false to send the standard ones. */
  readonly send?: (userIds: readonly string[]) => Promise<boolean>;
}

/** The event of a notification, and its resource. */
export interface NotificationSubject {
  readonly eventId?: string;
  readonly eventType?: string;
  readonly resource?: { readonly type: string; readonly id: string };
}

type SendContext = WriteContext<typeof NotificationSent>;

/**
 * Notifies members of this workspace, in the transaction of `ctx`. Resolves to the ids of those notified; users who
 * are not active members are skipped.
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

/** Inserts a row, emits an event and enqueues, unless opted out, an e-mail for each member. */
export async function deliver(
  ctx: SendContext,
  members: readonly MemberRow[],
  { title, body, about = {}, mail = {} }: Message,
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
  if (!ctx.services.mailer.available) return;
  const mailed = await preferences.filterMailed(
    ctx.tx,
    members.map(({ id }) => id),
    { eventType, isUrgent: mail.isUrgent === true },
  );
  if (mailed.size === 0 || (await mail.send?.([...mailed]))) return;
  const slug = await readWorkspaceSlug(ctx.tx);
  for (const [index, { id, email }] of members.entries()) {
    const notificationId = recipients[index]?.id ?? "";
    if (!mailed.has(id)) continue;
    const place = { path: `/notifications/${notificationId}` as const, ...mail, slug };
    const act = mail.link?.(id);
    await enqueueMail(ctx, { ...buildMail(ctx, content, { ...place, act }), to: email });
  }
}

function buildMail(
  { caller: { environment }, services }: SendContext,
  { title, body }: { readonly title: string; readonly body: string },
  {
    path,
    thread,
    slug,
    act,
  }: MailPlace & {
    readonly slug: string;
    readonly act: { readonly label: string; readonly path: string } | undefined;
  },
): Omit<Mail, "to"> {
  // The subject names the environment, except for production.
  const prefix = environment === "production" ? "" : `[${environment}] `;
  const place = new URLSearchParams({
    workspace: slug,
    ...(environment !== "production" && { environment }),
  });
  const page = (to: string | undefined): string => `${publicUrl(services)}${to}?${place}`;
  return {
    // A subject is one line.
    subject: prefix + (thread?.subject ?? title).replaceAll(/\s+/g, " "),
    text:
      `${thread ? `${title}\n\n` : ""}${body}\n\n` +
      (act ? `${act.label}: ${publicUrl(services)}${act.path}\n\n` : "") +
      `${page(path)}\n\n--\n` +
      `E-mail settings: ${page("/settings/notifications")}\n`,
    ...(thread && { threadId: thread.id }),
  };
}

async function readWorkspaceSlug(tx: SendContext["tx"]): Promise<string> {
  const { slug } = await tx
    .selectFrom("workspaces")
    .select("slug")
    .where("key", "=", sql<string>`current_setting('millrace.workspace')::uuid`)
    .executeTakeFirstOrThrow();
  return slug;
}

/** Truncates a text, because a rule may render more than an inbox shows. */
function truncate(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text;
}
