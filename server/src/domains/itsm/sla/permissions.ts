import { permission } from "#kernel/access/permission.ts";

export const SlaRead = permission("sla:read", "View SLA policies and clocks", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const SlaWrite = permission("sla:write", "Manage SLA policies", []);
