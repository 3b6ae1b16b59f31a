import { permission } from "#kernel/access/permission.ts";

const agents = ["agent", "change_manager"] as const;

export const OnCallWrite = permission(
  "on_call:write",
  "Create on-call overrides, and swap shifts",
  agents,
);
export const PagesWrite = permission("pages:write", "Page members, and acknowledge pages", agents);
