import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const TablesRead = permission("tables:read", "See tables and their columns", EVERY_ROLE);
export const TablesWrite = permission("tables:write", "Create, change and drop tables", [
  "builder",
]);
