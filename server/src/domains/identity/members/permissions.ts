import { permission } from "#kernel/access/permission.ts";

export const UsersRead = permission("users:read", "See the members of the workspace", [
  "builder",
  "agent",
  "change_manager",
  "auditor",
]);
export const UsersWrite = permission("users:write", "Invite, change and remove members", []);
