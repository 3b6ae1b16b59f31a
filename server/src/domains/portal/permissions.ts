import { EVERYONE, permission } from "#kernel/access/permission.ts";

export const PortalUse = permission(
  "portal:use",
  "Use the portal: one's own things at a glance, and search",
  EVERYONE,
);
export const PortalWrite = permission("portal:write", "Say how the portal looks", []);
