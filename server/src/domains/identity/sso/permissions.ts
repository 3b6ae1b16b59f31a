import { permission } from "#kernel/access/permission.ts";

export const SsoRead = permission("sso:read", "See how people sign in by single sign-on", []);
export const SsoWrite = permission(
  "sso:write",
  "Set up single sign-on; whoever runs the identity provider can sign in as any member",
  [],
);
