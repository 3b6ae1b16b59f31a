import { permission } from "#kernel/access/permission.ts";

export const CmdbRead = permission("cmdb:read", "See configuration items", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const CmdbWrite = permission("cmdb:write", "Keep configuration items and what ties them", [
  "builder",
  "agent",
  "change_manager",
]);
