import { permission } from "#kernel/access/permission.ts";

export const ProblemsRead = permission("problems:read", "See problems", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const ProblemsWrite = permission("problems:write", "Raise and work on problems", [
  "agent",
  "change_manager",
]);
