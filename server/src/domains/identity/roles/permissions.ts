import { EVERY_ROLE, permission } from "#kernel/permission.ts";

export const Profile = permission("profile", "Read who the credential belongs to", EVERY_ROLE);
export const RolesRead = permission("roles:read", "See roles and permissions", [
  "builder",
  "auditor",
]);
