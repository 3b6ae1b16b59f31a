import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const WorkspacesRead = permission("workspaces:read", "See the workspace", EVERY_ROLE);
export const WorkspacesWrite = permission(
  "workspaces:write",
  "Change the workspace's settings",
  [],
);
export const WorkspacesCreate = permission("workspaces:create", "Make further workspaces", []);
