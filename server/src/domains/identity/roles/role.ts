import Type, { type Static } from "typebox";
import {
  BUILT_IN_ROLES,
  type BuiltInRole,
  EVERYONE,
  expandPermissions,
  type Permission,
  permission,
} from "#kernel/access/permission.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { Failure, failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { id, line, text, Time } from "#kernel/schema/schema.ts";

export const RoleId = Type.String({
  pattern: `^(${BUILT_IN_ROLES.join("|")})$|${idPattern("rol")}`,
  description: "Name of a built-in role or id of a custom role",
});

/** The writable fields of a custom role. */
export const roleFields = {
  name: line(60),
  description: text(1_000),
  permissions: Type.Array(line(100), {
    maxItems: 500,
    description: "`<resource>:<action>`, `<resource>:*` or `*`",
  }),
};

export const Role = Type.Object(
  { id: RoleId, ...roleFields, builtIn: Type.Boolean(), createdAt: Type.Optional(Time) },
  { title: "Role" },
);
export type Role = Static<typeof Role> & { readonly revision?: number };

export const RoleNameTaken = failure(
  "role_name_taken",
  409,
  "Another role has this name.",
  "roles_name",
);
export const BuiltInRoleFixed = failure("built_in_role", 409, "Built-in roles can't be changed.");
export const RoleInUse = failure(
  "role_in_use",
  409,
  "The role is still assigned to members or used in invitations.",
);
export const LastOwner = failure("last_owner", 409, "A workspace must have at least one owner.");

const DESCRIPTIONS: Readonly<Record<BuiltInRole, string>> = {
  owner: "All permissions, including the assignment of owners",
  admin: "All permissions except the assignment of owners",
  builder: "Builds workflows, apps, tables, artifacts and integrations",
  agent: "Works on incidents, problems, knowledge and requests",
  change_manager: "An agent who can also approve changes",
  member: "Uses apps and has the permissions of a requester",
  requester: "Creates, views and comments on own tickets and requests only",
  viewer: "Reads",
  auditor: "Reads all data, including the audit log",
};

/** The built-in roles, each with its permissions by the catalog. */
export function builtInRoles(catalog: readonly Permission[]): Role[] {
  return BUILT_IN_ROLES.map((name) => ({
    id: name,
    name,
    description: DESCRIPTIONS[name],
    permissions: catalog
      .filter(({ roles }) => roles.includes(name))
      .map((permissionType) => permissionType.name)
      .toSorted(),
    builtIn: true,
  }));
}

export function isBuiltIn(id: string): id is BuiltInRole {
  return BUILT_IN_ROLES.some((name) => name === id);
}

/** Throws for the first pattern that matches no permission of the catalog. */
export function assertKnownPermissions(
  patterns: readonly string[],
  catalog: readonly Permission[],
): void {
  for (const [index, pattern] of patterns.entries()) {
    if (expandPermissions([pattern], catalog).size === 0) {
      throw invalidField(`/permissions/${index}`, "is not a permission");
    }
  }
}

/** Throws if the patterns match a permission that the caller does not have. */
export function assertMayGrant(
  patterns: readonly string[],
  held: ReadonlySet<string>,
  catalog: readonly Permission[],
): void {
  const lacking = [...expandPermissions(patterns, catalog)].filter((name) => !held.has(name));
  if (lacking.length > 0) {
    throw new Failure(Forbidden, {
      detail: `You can't grant what you lack: ${lacking.join(", ")}.`,
    });
  }
}

export const RoleCreated = event("audit.role.created", {
  resource: "role",
  summary: "A custom role was created.",
  data: Role,
});
export const RoleUpdated = changeEvent("audit.role.updated", {
  resource: "role",
  summary: "A custom role was updated.",
  data: Role,
});
export const RoleDeleted = event("audit.role.deleted", {
  resource: "role",
  summary: "A custom role was deleted.",
  data: Role,
});

const Assignment = Type.Object({ userId: id("usr"), roleId: RoleId });
export const RoleAssigned = event("audit.role.assigned", {
  resource: "user",
  summary: "A role was assigned to a member.",
  data: Assignment,
});
export const RoleUnassigned = event("audit.role.unassigned", {
  resource: "user",
  summary: "A role was removed from a member.",
  data: Assignment,
});

export const Profile = permission("profile", "View own name, e-mail address and roles", EVERYONE);
export const RolesRead = permission("roles:read", "View roles and permissions", [
  "builder",
  "auditor",
]);
export const RolesWrite = permission("roles:write", "Create and update custom roles", []);
export const RolesAssign = permission(
  "roles:assign",
  "Assign roles to members and remove them",
  [],
);
