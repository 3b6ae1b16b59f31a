import { EVERYONE, permission } from "#kernel/access/permission.ts";

export const CatalogRead = permission("catalog:read", "See what may be asked for", EVERYONE);
export const CatalogWrite = permission("catalog:write", "Say what may be asked for", ["builder"]);
export const RequestsSubmit = permission(
  "requests:submit",
  "Ask for something, see that, and decide on what one is asked to approve",
  EVERYONE,
);
export const RequestsRead = permission("requests:read", "See what everyone asked for", [
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
