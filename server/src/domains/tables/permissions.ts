import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const TablesRead = permission("tables:read", "See tables and their columns", EVERY_ROLE);
export const TablesWrite = permission("tables:write", "Create, change and drop tables", [
  "builder",
]);
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
export const QueriesRun = permission("queries:run", "Ask questions in SQL", [
  "builder",
  "viewer",
  "auditor",
]);
export const QueriesWrite = permission("queries:write", "Save questions in SQL", ["builder"]);
export const MigrationsRead = permission("migrations:read", "See migrations of tables", [
  "builder",
  "viewer",
  "auditor",
]);
export const MigrationsWrite = permission(
  "migrations:write",
  "Write, apply and roll back migrations of tables",
  ["builder"],
);
