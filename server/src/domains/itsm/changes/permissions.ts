import { permission } from "#kernel/access/permission.ts";

const readers = ["builder", "agent", "change_manager", "viewer", "auditor"] as const;
const agents = ["agent", "change_manager"] as const;

export const ChangesRead = permission("changes:read", "View changes", readers);
export const ChangesWrite = permission("changes:write", "Plan and implement changes", agents);
export const ChangesApprove = permission(
  "changes:approve",
  "Approve and reject changes; manage templates and change freezes",
  ["change_manager"],
);
