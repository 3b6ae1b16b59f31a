import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { RoleAssigned, RoleCreated, RoleDeleted, RoleUnassigned, RoleUpdated } from "./role.ts";
import {
  assignRole,
  createRole,
  deleteRole,
  getRole,
  listPermissions,
  listRoles,
  unassignRole,
  updateRole,
} from "./operations.ts";
import { roleContent } from "./pack.ts";
import { Profile, RolesAssign, RolesRead, RolesWrite } from "./role.ts";

export { Profile } from "./role.ts";
export { type Viewer, viewerLookup } from "./viewer.ts";
export { LastOwner, RoleId, RolesRead, RolesWrite } from "./role.ts";
export { listRoles } from "./service.ts";
export { readRoleGrants, findRoleIds, findRoleNames } from "./store.ts";
export { assertGrantable, type HeldPermissions, findHeldPermissions, canGrant } from "./service.ts";

export const roles = domain({
  name: "roles",
  summary: "Roles and permissions.",
  environmentScoped: false,
  permissions: [Profile, RolesRead, RolesWrite, RolesAssign],
  events: [RoleCreated, RoleUpdated, RoleDeleted, RoleAssigned, RoleUnassigned],
  operations: [
    listPermissions,
    listRoles,
    createRole,
    getRole,
    updateRole,
    deleteRole,
    assignRole,
    unassignRole,
  ],
  contributions: [
    contribute(PackContentPoint, roleContent),
    contribute(InversePoint, {
      resourceType: "role",
      created: ["audit.role.created"],
      updated: ["audit.role.updated"],
      get: "roles.get",
      update: "roles.update",
      remove: "roles.delete",
    }),
  ],
});
