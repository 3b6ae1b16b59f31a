import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const AuditRead = permission("audit:read", "Query the audit log", ["auditor"]);
export const EventsRead = permission(
  "events:read",
  "View the event catalog and the event bus",
  EVERY_ROLE,
);
