import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const RecordsRead = permission(
  "records:read",
  "View records of tables, within the access rules of the tables",
  EVERY_ROLE,
);
export const RecordsWrite = permission(
  "records:write",
  "Create, update and delete records, within the access rules of the tables",
  ["builder", "agent", "change_manager", "member"],
);
