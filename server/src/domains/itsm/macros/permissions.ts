import { permission } from "#kernel/access/permission.ts";

export const MacrosRun = permission(
  "macros:run",
  "Use macros and text modules, and change tickets in bulk",
  ["agent", "change_manager"],
);
export const MacrosWrite = permission("macros:write", "Manage macros and text modules", [
  "agent",
  "change_manager",
]);
