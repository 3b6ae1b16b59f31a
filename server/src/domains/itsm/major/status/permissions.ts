import { permission } from "#kernel/access/permission.ts";

const readers = ["builder", "agent", "change_manager", "viewer", "auditor"] as const;

export const StatusRead = permission(
  "status:read",
  "View the status page settings and components",
  readers,
);
export const StatusWrite = permission(
  "status:write",
  "Manage the status page and its components",
  [],
);
