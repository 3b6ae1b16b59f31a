import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const TablesRead = permission("tables:read", "View tables and their columns", EVERY_ROLE);
export const TablesWrite = permission("tables:write", "Create, update and delete tables", [
  "builder",
]);
