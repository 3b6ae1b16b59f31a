import { permission } from "#kernel/access/permission.ts";

export const MailRead = permission("mail:read", "View mailboxes and their e-mails", [
  "agent",
  "change_manager",
]);
export const MailWrite = permission("mail:write", "Manage mailboxes, and retry failed e-mails", []);
export const MailReceive = permission(
  "mail:receive",
  "Submit e-mails received by other systems",
  [],
);
