import {
  lockMember,
  lockOwners,
  resolvePermissions,
  setRoles,
} from "#domains/identity/accounts/index.ts";
import { assertInPerson } from "#kernel/access/caller.ts";
import type { PlatformServices, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, Forbidden, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { BUILT_IN_ROLES, expandPermissions } from "#kernel/access/permission.ts";
import { RoleAssigned, RoleCreated, RoleDeleted, RoleUnassigned, RoleUpdated } from "./role.ts";
import {
  assertKnownPermissions,
  assertMayGrant,
  builtInRoles,
  BuiltInRoleFixed,
  isBuiltIn,
  LastOwner,
  type Role,
  RoleInUse,
  RoleNameTaken,
} from "./role.ts";
import * as store from "./store.ts";

export async function getRole(tx: Tx, services: PlatformServices, id: string): Promise<Role> {
  const role = isBuiltIn(id)
    ? builtInRoles(services.permissions).find((role) => role.id === id)
    : await store.find(tx, id);
  if (!role) throw new Failure(NotFound);
  return role;
}

/** The start of a page of roles: after a number of built-in roles, and after the name of a custom role. */
export interface RoleListPosition {
  readonly builtIn: number;
  readonly name: string;
}

/** Lists the built-in roles first, then the custom ones by name. */
export async function listRoles(
  tx: Tx,
  services: PlatformServices,
  { builtIn, name }: RoleListPosition,
  limit: number,
): Promise<Role[]> {
  const builtIns = builtInRoles(services.permissions).slice(builtIn, builtIn + limit);
  return [...builtIns, ...(await store.list(tx, name, limit - builtIns.length))];
}

/** The position after a role, valid even if that role is deleted. */
export function positionAfter({ id, name }: Role): RoleListPosition {
  const index = BUILT_IN_ROLES.findIndex((role) => role === id);
  return index === -1 ? { builtIn: BUILT_IN_ROLES.length, name } : { builtIn: index + 1, name: "" };
}

export async function createRole(
  ctx: WriteContext<typeof RoleCreated>,
  input: { name: string; description?: string | undefined; permissions: string[] },
): Promise<Role> {
  const { services, caller, now } = ctx;
  assertKnownPermissions(input.permissions, services.permissions);
  assertMayGrant(input.permissions, caller.permissions, services.permissions);
  if (isBuiltIn(input.name)) throw new Failure(RoleNameTaken);
  const role = await store.insert(ctx.tx, {
    id: newId("rol", now.getTime()),
    name: input.name,
    description: input.description ?? "",
    permissions: input.permissions,
    created_at: now,
    updated_at: now,
  });
  ctx.emit(RoleCreated, roleRef(role), roleEventData(role));
  return role;
}

export async function updateRole(
  ctx: WriteContext<typeof RoleUpdated>,
  id: string,
  change: { name?: string; description?: string; permissions?: string[] },
): Promise<Role> {
  const { services, caller } = ctx;
  if (isBuiltIn(id)) throw new Failure(BuiltInRoleFixed);
  if (change.name !== undefined && isBuiltIn(change.name)) throw new Failure(RoleNameTaken);
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (change.permissions) {
    assertKnownPermissions(change.permissions, services.permissions);
    assertMayGrant(change.permissions, caller.permissions, services.permissions);
  }
  const after = await store.update(ctx.tx, id, { ...change, updated_at: ctx.now });
  ctx.emit(RoleUpdated, roleRef(after), diffResource(roleEventData(before), roleEventData(after)));
  return after;
}

export async function deleteRole(ctx: WriteContext<typeof RoleDeleted>, id: string): Promise<void> {
  if (isBuiltIn(id)) throw new Failure(BuiltInRoleFixed);
  const role = await store.lock(ctx.tx, id);
  ctx.expectRevision(role.revision);
  if (await store.isInUse(ctx.tx, id, ctx.now)) throw new Failure(RoleInUse);
  await store.remove(ctx.tx, id);
  ctx.emit(RoleDeleted, roleRef(role), roleEventData(role));
}

/** Grants a role to a member of the transaction's workspace. */
export async function assignRole(
  ctx: WriteContext<typeof RoleAssigned>,
  userId: string,
  { roleId, held }: { readonly roleId: string; readonly held: HeldPermissions },
): Promise<readonly string[]> {
  if (roleId === "owner") assertInPerson(ctx.caller);
  await assertGrantable(ctx.tx, ctx.services, roleId, held);
  const member = await lockMember(ctx.tx, userId);
  const roles = [...new Set([...member.roles, roleId])];
  await setRoles(ctx.tx, userId, roles, ctx.now);
  ctx.emit(RoleAssigned, { id: userId, displayName: member.name }, { userId, roleId });
  return roles;
}

export async function unassignRole(
  ctx: WriteContext<typeof RoleUnassigned>,
  userId: string,
  { roleId, held }: { readonly roleId: string; readonly held: HeldPermissions },
): Promise<readonly string[]> {
  const owners = roleId === "owner" ? await lockOwners(ctx.tx) : [];
  const member = await lockMember(ctx.tx, userId);
  if (!member.roles.includes(roleId)) throw new Failure(NotFound);
  ctx.expectRevision(member.revision);
  if (roleId === "owner") {
    assertInPerson(ctx.caller);
    assertManagesOwners(held);
    if (owners.every((owner) => owner === userId)) throw new Failure(LastOwner);
  }
  const roles = member.roles.filter((role) => role !== roleId);
  await setRoles(ctx.tx, userId, roles, ctx.now);
  ctx.emit(RoleUnassigned, { id: userId, displayName: member.name }, { userId, roleId });
  return roles;
}

/** The roles and permissions of one account in one workspace. */
export interface HeldPermissions {
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<string>;
}

/** Throws unless the role exists and the caller may grant it. */
export async function assertGrantable(
  tx: Tx,
  services: PlatformServices,
  roleId: string,
  held: HeldPermissions,
): Promise<void> {
  if (roleId === "owner") return assertManagesOwners(held);
  const role = isBuiltIn(roleId)
    ? builtInRoles(services.permissions).find(({ id }) => id === roleId)
    : await store.find(tx, roleId);
  if (!role) throw invalidField("/roleId", "is not a role of this workspace");
  const permissions = [...expandPermissions(role.permissions, services.permissions)];
  assertMayGrant(permissions, held.permissions, services.permissions);
}

/** Returns whether an account with these permissions may grant all of these roles. */
export async function canGrant(
  tx: Tx,
  services: PlatformServices,
  roleIds: readonly string[],
  held: HeldPermissions,
): Promise<boolean> {
  try {
    for (const roleId of roleIds) await assertGrantable(tx, services, roleId, held);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Reads an account's permissions in the transaction's workspace; undefined if it is not an active member. */
export async function findHeldPermissions(
  tx: Tx,
  services: PlatformServices,
  userId: string,
): Promise<HeldPermissions | undefined> {
  const found = await store.findMemberGrants(tx, userId);
  if (!found) return undefined;
  const { roles, granted } = found;
  return { roles, permissions: resolvePermissions(roles, granted, services.permissions) };
}

/** Throws unless the account is an owner; the calling operation checks that an owner calls in person. */
function assertManagesOwners({ roles }: HeldPermissions): void {
  if (!roles.includes("owner")) {
    throw new Failure(Forbidden, { detail: "Only an owner can assign, change or remove owners." });
  }
}

function roleRef({ id, name }: Role) {
  return { id, displayName: name };
}

function roleEventData({ revision: _, ...role }: Role) {
  return role;
}
