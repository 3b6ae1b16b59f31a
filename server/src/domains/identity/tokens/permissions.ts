import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const TokensRead = permission("tokens:read", "See one's own API tokens", EVERY_ROLE);
export const TokensWrite = permission(
  "tokens:write",
  "Make and revoke one's own API tokens",
  EVERY_ROLE,
);
