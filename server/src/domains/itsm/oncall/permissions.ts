import { permission } from "#kernel/access/permission.ts";

const agents = ["agent", "change_manager"] as const;

export const OnCallWrite = permission(
  "on_call:write",
  "Stand in for others on call, and swap turns",
  agents,
);
export const PagesWrite = permission("pages:write", "Page people, and acknowledge pages", agents);
