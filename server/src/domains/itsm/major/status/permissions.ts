import { permission } from "#kernel/access/permission.ts";

const readers = ["builder", "agent", "change_manager", "viewer", "auditor"] as const;

export const StatusRead = permission("status:read", "See what stands on the status page", readers);
export const StatusWrite = permission(
  "status:write",
  "Switch the status page on and choose its components",
  [],
);
