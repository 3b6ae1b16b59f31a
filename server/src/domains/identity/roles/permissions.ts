import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const Profile = permission(
  "profile",
  "See who you are: name, e-mail address and roles",
  EVERY_ROLE,
);
export const RolesRead = permission("roles:read", "See roles and permissions", [
  "builder",
  "auditor",
]);
export const RolesWrite = permission("roles:write", "Make and change custom roles", []);
export const RolesAssign = permission("roles:assign", "Give roles to members and take them", []);
