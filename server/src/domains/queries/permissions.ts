import { permission } from "#kernel/access/permission.ts";

export const QueriesRun = permission("queries:run", "Run SQL queries", [
  "builder",
  "viewer",
  "auditor",
]);
export const QueriesWrite = permission("queries:write", "Save SQL queries", ["builder"]);
