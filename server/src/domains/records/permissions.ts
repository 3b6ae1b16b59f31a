import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const RecordsRead = permission(
  "records:read",
  "See the records of tables, as far as the tables' rules allow",
  EVERY_ROLE,
);
export const RecordsWrite = permission(
  "records:write",
  "Create, change and delete records, as far as the tables' rules allow",
  ["builder", "agent", "change_manager", "member"],
);
