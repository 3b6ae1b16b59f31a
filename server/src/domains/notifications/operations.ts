import Type from "typebox";
import { userIdOf } from "#kernel/access/caller.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { listPageById, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import {
  NotificationDeleted,
  NotificationRead,
  NotificationsAllRead,
  NotificationSent,
  NotificationUnread,
} from "./events.ts";
import { NotificationInput, Notification, SentNotification } from "./notification.ts";
import { notify } from "./notify.ts";
import { NotificationsRead, NotificationsSend } from "./notification.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: id("ntf") });
const example = { params: { id: "ntf_01jd0000000000000000000000" } };
const LIST = "notifications, newest first";

export const listNotifications = query({
  id: "notifications.list",
  route: "GET /api/v1/notifications",
  summary: "List your notifications, newest first",
  description: "Includes all environments of the workspace. Notifications are kept for 90 days.",
  permission: NotificationsRead,
  query: object({
    ...pageQuery,
    unread: Type.Optional(
      Type.Boolean({
        description: "`true`: only unread notifications. `false`: only read notifications",
      }),
    ),
  }),
  response: page(withRevision(Notification)),
  async run({ tx, caller, services }, { query: { unread, ...pageInput } }) {
    const person = userIdOf(caller);
    return listPageById(services, LIST, pageInput, (before, limit) =>
      store.list(tx, person, { unread, before, limit }),
    );
  },
});

export const countUnread = query({
  id: "notifications.count_unread",
  route: "GET /api/v1/notifications/unread-count",
  summary: "Count your unread notifications",
  permission: NotificationsRead,
  response: item(Type.Object({ unread: Type.Integer() }, { title: "UnreadCount" })),
  run: async ({ tx, caller }) => ({ unread: await store.countUnread(tx, userIdOf(caller)) }),
});

export const getNotification = query({
  id: "notifications.get",
  route: "GET /api/v1/notifications/{id}",
  summary: "Get one of your notifications",
  description: "Does not mark it as read.",
  permission: NotificationsRead,
  params: ById,
  response: item(Notification),
  example,
  run: ({ tx, caller }, { params }) => store.get(tx, userIdOf(caller), params.id),
});

export const sendNotification = command({
  id: "notifications.send",
  effect: "ordinary",
  route: "POST /api/v1/notifications",
  summary: "Send a notification to members of the workspace",
  description:
    "The response contains the notified members; users who are not active members are skipped. Members also get an e-mail, if the installation can send e-mail and they have not turned it off.",
  // It is sent in one environment, which the inbox shows.
  environmentScoped: true,
  permission: NotificationsSend,
  body: NotificationInput,
  response: created(SentNotification),
  emits: [NotificationSent],
  example: {
    body: {
      userIds: ["usr_01jd0000000000000000000000"],
      title: "The printer on floor 3 works again",
      body: "It was the fuse.",
    },
  },
  async run(ctx, { body }) {
    const userIds = await notify(ctx, body);
    if (userIds.length === 0)
      throw invalidField("/userIds", "must contain an active member of the workspace");
    return { userIds };
  },
});

export const readNotification = command({
  id: "notifications.read",
  effect: "ordinary",
  route: "POST /api/v1/notifications/{id}/read",
  summary: "Mark one of your notifications as read",
  permission: NotificationsRead,
  params: ById,
  response: item(Notification),
  emits: [NotificationRead],
  allowNoop: true,
  example,
  run: (ctx, { params }) => service.markRead(ctx, params.id),
});

export const unreadNotification = command({
  id: "notifications.unread",
  effect: "ordinary",
  route: "POST /api/v1/notifications/{id}/unread",
  summary: "Mark one of your notifications as unread",
  permission: NotificationsRead,
  params: ById,
  response: item(Notification),
  emits: [NotificationUnread],
  allowNoop: true,
  example,
  run: (ctx, { params }) => service.markUnread(ctx, params.id),
});

export const updateNotification = command({
  id: "notifications.update",
  effect: "ordinary",
  route: "PATCH /api/v1/notifications/{id}",
  summary: "Mark one of your notifications as read or unread",
  permission: NotificationsRead,
  params: ById,
  body: object({ read: Type.Boolean() }),
  response: item(Notification),
  emits: [NotificationRead, NotificationUnread],
  allowNoop: true,
  example: { ...example, body: { read: true } },
  run: (ctx, { params, body }) =>
    body.read ? service.markRead(ctx, params.id) : service.markUnread(ctx, params.id),
});

export const readAllNotifications = command({
  id: "notifications.read_all",
  effect: "ordinary",
  route: "POST /api/v1/notifications/read-all",
  summary: "Mark all your notifications as read",
  description: "`read` is the number of notifications that were unread.",
  permission: NotificationsRead,
  response: item(Type.Object({ read: Type.Integer() }, { title: "ReadCount" })),
  emits: [NotificationsAllRead],
  allowNoop: true,
  run: (ctx) => service.markAllRead(ctx),
});

export const deleteNotification = command({
  id: "notifications.delete",
  route: "DELETE /api/v1/notifications/{id}",
  summary: "Delete one of your notifications",
  permission: NotificationsRead,
  params: ById,
  response: noContent(),
  emits: [NotificationDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});
