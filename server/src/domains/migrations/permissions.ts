import { permission } from "#kernel/access/permission.ts";

export const MigrationsRead = permission("migrations:read", "View migrations of tables", [
  "builder",
  "viewer",
  "auditor",
]);
export const MigrationsWrite = permission(
  "migrations:write",
  "Create, apply and roll back migrations of tables",
  ["builder"],
);
