import { permission } from "#kernel/access/permission.ts";

export const ContactsRead = permission("contacts:read", "View contacts and organisations", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const ContactsWrite = permission("contacts:write", "Manage contacts and organisations", [
  "agent",
  "change_manager",
]);
