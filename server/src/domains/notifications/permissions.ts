import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const NotificationsRead = permission(
  "notifications:read",
  "Read and tidy your own notifications",
  EVERY_ROLE,
);
export const NotificationsSend = permission(
  "notifications:send",
  "Send notifications to members of the workspace",
  ["builder", "agent", "change_manager"],
);
