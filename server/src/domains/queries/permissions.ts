import { permission } from "#kernel/access/permission.ts";

export const QueriesRun = permission("queries:run", "Ask questions in SQL", [
  "builder",
  "viewer",
  "auditor",
]);
export const QueriesWrite = permission("queries:write", "Save questions in SQL", ["builder"]);
