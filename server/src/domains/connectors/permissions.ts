import { permission } from "#kernel/access/permission.ts";

export const ConnectorsRead = permission("connectors:read", "View connectors and their actions", [
  "builder",
  "viewer",
  "auditor",
]);
export const ConnectorsWrite = permission(
  "connectors:write",
  "Create, update and test connectors",
  ["builder"],
);
export const ConnectorsInvoke = permission("connectors:invoke", "Invoke actions of connectors", [
  "builder",
]);
