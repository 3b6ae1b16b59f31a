import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";
import { NotificationData } from "./notification.ts";
import { PreferencesData } from "./notification.ts";

export const NotificationSent = event("notification.sent", {
  resource: "notification",
  summary: "A notification was created for a member. The event does not contain its text.",
  data: NotificationData,
});

export const NotificationRead = event("notification.read", {
  resource: "notification",
  summary: "A member marked a notification as read.",
  data: NotificationData,
});

export const NotificationUnread = event("notification.unread", {
  resource: "notification",
  summary: "A member marked a notification as unread.",
  data: NotificationData,
});

export const NotificationsAllRead = event("notification.all_read", {
  resource: "inbox",
  summary: "A member marked all notifications as read. `read` is their number.",
  data: Type.Object({ userId: id("usr"), read: Type.Integer() }),
});

export const NotificationDeleted = event("notification.deleted", {
  resource: "notification",
  summary: "A member deleted a notification.",
  data: NotificationData,
});

export const PreferencesUpdated = changeEvent("notification.preferences_updated", {
  resource: "notification_preferences",
  summary: "A member changed their notification settings.",
  data: PreferencesData,
});
