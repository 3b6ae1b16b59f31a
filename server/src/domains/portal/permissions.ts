import { EVERYONE, permission } from "#kernel/access/permission.ts";

export const PortalUse = permission(
  "portal:use",
  "Use the portal: view your own tickets, and search",
  EVERYONE,
);
export const PortalWrite = permission("portal:write", "Change the appearance of the portal", []);
