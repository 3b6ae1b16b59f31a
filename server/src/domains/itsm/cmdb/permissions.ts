import { permission } from "#kernel/access/permission.ts";

export const CmdbRead = permission("cmdb:read", "View configuration items", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const CmdbWrite = permission(
  "cmdb:write",
  "Manage configuration items and their relationships",
  ["builder", "agent", "change_manager"],
);
