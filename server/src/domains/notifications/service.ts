import { userIdOf } from "#kernel/access/caller.ts";
import { isPattern } from "#kernel/condition/event-pattern.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { diffResource } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  NotificationDeleted,
  NotificationRead,
  NotificationsAllRead,
  NotificationUnread,
  PreferencesUpdated,
} from "./events.ts";
import type { Notification } from "./notification.ts";
import type { Preferences, PreferencesInput } from "./notification.ts";
import * as preferences from "./preference-store.ts";
import * as store from "./store.ts";

/** Marks a notification as read; the time of an earlier read is kept. */
export async function markRead(
  ctx: WriteContext<typeof NotificationRead>,
  id: string,
): Promise<Notification> {
  const before = await lockOwn(ctx, id);
  if (before.readAt !== null) return before;
  const after = await store.setReadAt(ctx.tx, id, ctx.now);
  ctx.emit(NotificationRead, { id }, notificationEventData(ctx, after));
  return after;
}

export async function markUnread(
  ctx: WriteContext<typeof NotificationUnread>,
  id: string,
): Promise<Notification> {
  const before = await lockOwn(ctx, id);
  if (before.readAt === null) return before;
  const after = await store.setReadAt(ctx.tx, id, null);
  ctx.emit(NotificationUnread, { id }, notificationEventData(ctx, after));
  return after;
}

export async function markAllRead(
  ctx: WriteContext<typeof NotificationsAllRead>,
): Promise<{ read: number }> {
  const userId = userIdOf(ctx.caller);
  const read = await store.markAllRead(ctx.tx, userId, ctx.now);
  if (read > 0) ctx.emit(NotificationsAllRead, { id: userId }, { userId, read });
  return { read };
}

export async function remove(
  ctx: WriteContext<typeof NotificationDeleted>,
  id: string,
): Promise<void> {
  const notification = await lockOwn(ctx, id);
  await store.remove(ctx.tx, id);
  ctx.emit(NotificationDeleted, { id }, notificationEventData(ctx, notification));
}

export async function setPreferences(
  ctx: WriteContext<typeof PreferencesUpdated>,
  { email, noEmailFor }: PreferencesInput,
): Promise<Preferences> {
  const invalid = noEmailFor?.findIndex((pattern) => !isPattern(pattern)) ?? -1;
  if (invalid !== -1)
    throw invalidField(`/noEmailFor/${invalid}`, "is not a pattern of event types");
  const userId = userIdOf(ctx.caller);
  const before = await preferences.lock(ctx.tx, userId, ctx.now);
  ctx.expectRevision(before.revision);
  const chosen = { email, noEmailFor: noEmailFor ?? before.noEmailFor };
  const after = await preferences.update(ctx.tx, userId, { ...chosen, now: ctx.now });
  const { revision: _, ...was } = before;
  ctx.emit(PreferencesUpdated, { id: userId }, diffResource(was, chosen));
  return after;
}

/** Locks a notification of the caller; others are not found. */
async function lockOwn(ctx: WriteContext<never>, id: string): Promise<Notification> {
  const notification = await store.lock(ctx.tx, userIdOf(ctx.caller), id);
  ctx.expectRevision(notification.revision);
  return notification;
}

function notificationEventData({ caller }: WriteContext<never>, notification: Notification) {
  const { id, environment, eventId, eventType, resource } = notification;
  return { id, userId: userIdOf(caller), environment, eventId, eventType, resource };
}
