import { permission } from "#kernel/access/permission.ts";

const readers = ["builder", "agent", "change_manager", "viewer", "auditor"] as const;
const agents = ["agent", "change_manager"] as const;

export const ChangesRead = permission("changes:read", "See changes", readers);
export const ChangesWrite = permission("changes:write", "Plan and carry out changes", agents);
export const ChangesApprove = permission(
  "changes:approve",
  "Approve and reject changes; keep templates and blackout windows",
  ["change_manager"],
);
