import Type from "typebox";
import { requireMembership, type WorkspaceRef } from "#kernel/access/caller.ts";
import { Failure, Forbidden, NoSuchWorkspace } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { id, object, patch } from "#kernel/schema/schema.ts";
import { RoleAssigned, RoleCreated, RoleDeleted, RoleUnassigned, RoleUpdated } from "./role.ts";
import { RolesAssign, RolesRead, RolesWrite } from "./role.ts";
import {
  BuiltInRoleFixed,
  roleFields,
  LastOwner,
  Role,
  RoleId,
  RoleInUse,
  RoleNameTaken,
} from "./role.ts";
import * as service from "./service.ts";

const ById = object({ id: RoleId });
const example = { params: { id: "rol_01jd0000000000000000000000" } };
const ROLES = "roles by name";

export const listRoles = query({
  id: "roles.list",
  route: "GET /api/v1/settings/roles",
  summary: "List built-in and custom roles",
  permission: RolesRead,
  query: object(pageQuery),
  response: page(withRevision(Role)),
  async run({ tx, services }, { query: { limit, after } }) {
    const [builtIn = 0, name = ""] =
      after === undefined ? [] : services.cursors.decode(ROLES, after);
    const position = { builtIn: Number(builtIn), name: String(name) };
    return toPage(
      await service.listRoles(tx, services, position, limit + 1),
      limit,
      // Built-in roles never change.
      (role) => ({ ...role, revision: role.revision ?? 0 }),
      (role) => {
        const next = service.positionAfter(role);
        return services.cursors.encode(ROLES, [next.builtIn, next.name]);
      },
    );
  },
});

export const createRole = command({
  id: "roles.create",
  effect: "drastic",
  route: "POST /api/v1/settings/roles",
  summary: "Create a custom role",
  description: "It can only contain permissions that you have.",
  permission: RolesWrite,
  body: object({
    name: roleFields.name,
    description: Type.Optional(roleFields.description),
    permissions: roleFields.permissions,
  }),
  response: created(Role, { location: (role) => `/api/v1/settings/roles/${role.id}` }),
  emits: [RoleCreated],
  fails: [RoleNameTaken, Forbidden],
  example: { body: { name: "Audit reader", permissions: ["audit:read", "workspaces:read"] } },
  run: (ctx, { body }) => service.createRole(ctx, body),
});

export const getRole = query({
  id: "roles.get",
  route: "GET /api/v1/settings/roles/{id}",
  summary: "Get a role with its permissions",
  permission: RolesRead,
  params: ById,
  response: item(Role),
  example,
  run: ({ tx, services }, { params }) => service.getRole(tx, services, params.id),
});

export const updateRole = command({
  id: "roles.update",
  effect: "drastic",
  route: "PATCH /api/v1/settings/roles/{id}",
  summary: "Update a custom role",
  permission: RolesWrite,
  params: ById,
  body: patch(roleFields),
  response: item(Role),
  emits: [RoleUpdated],
  fails: [BuiltInRoleFixed, RoleNameTaken, Forbidden],
  example: { ...example, body: { permissions: ["audit:read"] } },
  run: (ctx, { params, body }) => service.updateRole(ctx, params.id, body),
});

export const deleteRole = command({
  id: "roles.delete",
  route: "DELETE /api/v1/settings/roles/{id}",
  summary: "Delete a custom role without members",
  permission: RolesWrite,
  params: ById,
  response: noContent(),
  emits: [RoleDeleted],
  fails: [BuiltInRoleFixed, RoleInUse],
  example,
  run: (ctx, { params }) => service.deleteRole(ctx, params.id),
});

const AssignedRoles = Type.Object(
  { userId: id("usr"), roles: Type.Array(RoleId) },
  { title: "AssignedRoles" },
);

export const assignRole = command({
  id: "roles.assign",
  effect: "drastic",
  route: "POST /api/v1/settings/users/{userId}/roles",
  summary: "Assign a role to a member",
  description:
    "You can only assign roles whose permissions you have. Only an owner can assign the role owner, in a user session and not with a token. `workspaceId` selects another of your workspaces instead of X-Workspace.",
  permission: RolesAssign,
  params: object({ userId: id("usr") }),
  body: object({ roleId: RoleId, workspaceId: Type.Optional(id("ws")) }),
  response: item(AssignedRoles),
  emits: [RoleAssigned],
  fails: [Forbidden, NoSuchWorkspace],
  example: {
    params: { userId: "usr_01jd0000000000000000000000" },
    body: { roleId: "agent" },
  },
  async run(ctx, { params: { userId }, body: { roleId, workspaceId } }) {
    const held = enterWorkspace(ctx, workspaceId);
    const roles = await service.assignRole(ctx, userId, { roleId, held });
    return { userId, roles: [...roles] };
  },
});

export const unassignRole = command({
  id: "roles.unassign",
  route: "DELETE /api/v1/settings/users/{userId}/roles/{roleId}",
  summary: "Remove a role from a member",
  permission: RolesAssign,
  params: object({ userId: id("usr"), roleId: RoleId }),
  response: item(AssignedRoles),
  emits: [RoleUnassigned],
  fails: [LastOwner, Forbidden],
  example: { params: { userId: "usr_01jd0000000000000000000000", roleId: "agent" } },
  async run(ctx, { params: { userId, roleId } }) {
    const held = enterWorkspace(ctx, undefined);
    const roles = await service.unassignRole(ctx, userId, { roleId, held });
    return { userId, roles: [...roles] };
  },
});

/** Switches to the workspace of an assignment, where the caller needs the permission too. */
function enterWorkspace(
  ctx: WriteContext<never> & { readonly workspace: WorkspaceRef },
  workspaceId: string | undefined,
): service.HeldPermissions {
  const membership = requireMembership(ctx.caller, workspaceId ?? ctx.workspace.id);
  if (!membership.permissions.has(RolesAssign.name)) throw new Failure(Forbidden);
  const { key } = membership.workspace;
  if (key !== ctx.workspace.key)
    ctx.switchPartition({ workspace: key, environment: ctx.caller.environment });
  return membership;
}

const PermissionSchema = Type.Object(
  {
    name: Type.String(),
    summary: Type.String(),
    roles: Type.Array(Type.String(), { description: "Built-in roles with this permission" }),
  },
  { title: "Permission" },
);

export const listPermissions = query({
  id: "permissions.list",
  route: "GET /api/v1/settings/permissions",
  summary: "List all permissions with their built-in roles",
  permission: RolesRead,
  query: object({
    ...pageQuery,
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
  }),
  response: page(PermissionSchema),
  async run({ services }, { query: { limit, after } }) {
    const start =
      after === undefined ? "" : String(services.cursors.decode("permissions", after)[0]);
    const rows = services.permissions
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .filter(({ name }) => name > start)
      .slice(0, limit + 1);
    return toPage(
      rows,
      limit,
      (row) => ({ ...row, roles: [...row.roles] }),
      ({ name }) => services.cursors.encode("permissions", [name]),
    );
  },
});
