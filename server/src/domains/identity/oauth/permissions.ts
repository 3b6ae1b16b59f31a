import { permission } from "#kernel/access/permission.ts";

export const ApplicationsRead = permission("oauth_applications:read", "See OAuth applications", [
  "builder",
  "auditor",
]);
export const ApplicationsWrite = permission(
  "oauth_applications:write",
  "Register, change and remove OAuth applications",
  ["builder"],
);
