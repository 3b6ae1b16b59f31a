import { permission } from "#kernel/access/permission.ts";

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
