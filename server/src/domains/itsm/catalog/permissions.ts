import { EVERYONE, permission } from "#kernel/access/permission.ts";

export const CatalogRead = permission("catalog:read", "View catalog items", EVERYONE);
export const CatalogWrite = permission("catalog:write", "Manage catalog items", ["builder"]);
export const RequestsSubmit = permission(
  "requests:submit",
  "Request catalog items, view own requests, and decide on own approvals",
  EVERYONE,
);
export const RequestsRead = permission("requests:read", "View all requests", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const RequestsWork = permission("requests:work", "Approve and fulfil requests", [
  "agent",
  "change_manager",
]);
