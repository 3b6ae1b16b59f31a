import { domain } from "#kernel/domain.ts";
import {
  NotificationDeleted,
  NotificationRead,
  NotificationsAllRead,
  NotificationSent,
  NotificationUnread,
  PreferencesUpdated,
} from "./events.ts";
import { notificationRetentionJob } from "./store.ts";
import {
  countUnread,
  deleteNotification,
  getNotification,
  listNotifications,
  readAllNotifications,
  readNotification,
  sendNotification,
  unreadNotification,
  updateNotification,
} from "./operations.ts";
import { NotificationsRead, NotificationsSend } from "./notification.ts";
import { getPreferences, putPreferences } from "./preference-operations.ts";
import { notificationReader } from "./notification-reader.ts";

export { NotificationSent } from "./events.ts";
export { type MailPlace, type NotificationSubject, notify } from "./notify.ts";

export const notifications = domain({
  name: "notifications",
  summary: "Notifications in the inbox and by e-mail.",
  environmentScoped: false,
  permissions: [NotificationsRead, NotificationsSend],
  events: [
    NotificationSent,
    NotificationRead,
    NotificationUnread,
    NotificationsAllRead,
    NotificationDeleted,
    PreferencesUpdated,
  ],
  operations: [
    listNotifications,
    sendNotification,
    countUnread,
    readAllNotifications,
    getPreferences,
    putPreferences,
    getNotification,
    updateNotification,
    deleteNotification,
    readNotification,
    unreadNotification,
  ],
  readers: [notificationReader],
  jobs: [notificationRetentionJob],
});
