import { permission } from "#kernel/access/permission.ts";

export const ContactsRead = permission("contacts:read", "See contacts and organisations", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const ContactsWrite = permission("contacts:write", "Keep contacts and organisations", [
  "agent",
  "change_manager",
]);
