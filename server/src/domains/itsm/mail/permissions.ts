import { permission } from "#kernel/access/permission.ts";

export const MailRead = permission("mail:read", "See mailboxes and the mails that came to them", [
  "agent",
  "change_manager",
]);
export const MailWrite = permission(
  "mail:write",
  "Set up mailboxes, and try failed mails again",
  [],
);
export const MailReceive = permission("mail:receive", "Hand in mails that others received", []);
