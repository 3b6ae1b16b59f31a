import type { Membership, Principal } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices, ReadContext, WriteContext } from "#kernel/contract.ts";
import { failure } from "#kernel/operation/failure.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { expandPermissions, type Permission } from "#kernel/access/permission.ts";
import * as store from "./store.ts";

export const MfaEnrollmentRequired = failure(
  "mfa_enrollment_required",
  403,
  "This workspace requires a second factor. Set one up first.",
);

/** Adds a member to the transaction's workspace. */
export async function addMember(
  ctx: WriteContext<never>,
  member: { readonly userId: string; readonly roles: readonly string[] },
): Promise<void> {
  await store.insertMembership(ctx.tx, { ...member, now: ctx.now });
}

export function toMemberOf({ workspace, slug, name, roles }: store.MembershipRow) {
  return { id: workspaceIdOf(workspace), slug, name, roles: [...roles] };
}

/** A member's permissions in one workspace: the union of what the roles grant. */
export function toMembership(row: store.MembershipRow, catalog: readonly Permission[]): Membership {
  const { workspace, slug, name, roles, granted, customRoles, hearsAudit, barred } = row;
  return {
    workspace: { key: workspace, id: workspaceIdOf(workspace), slug, name },
    roles,
    permissions: resolvePermissions(roles, granted, catalog),
    ...(customRoles && { customRoles }),
    ...(hearsAudit && { hearsAudit }),
    ...(barred && { blockedBy: MfaEnrollmentRequired }),
  };
}

/** The permissions that these roles grant together in the transaction's workspace. */
export async function readRolePermissions(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  roles: readonly string[],
): Promise<ReadonlySet<string>> {
  const granted = await store.findGrantedByRoles(tx, roles);
  return resolvePermissions(roles, granted, services.permissions);
}

/**
 * Resolves the permissions of built-in roles from the catalog, and of custom roles from their `granted` patterns.
 */
export function resolvePermissions(
  roles: readonly string[],
  granted: readonly string[],
  catalog: readonly Permission[],
): ReadonlySet<string> {
  let sets = setsByCatalog.get(catalog);
  if (!sets || sets.size >= SETS_MAX) setsByCatalog.set(catalog, (sets = new Map()));
  const key = JSON.stringify([roles, granted]);
  let permissions = sets.get(key);
  if (!permissions) {
    const builtIn = catalog.filter((one) => one.roles.some((role) => roles.includes(role)));
    const names = [...builtIn.map((one) => one.name), ...expandPermissions(granted, catalog)];
    sets.set(key, (permissions = new Set(names)));
  }
  return permissions;
}

/** Permission sets are shared: a person may be a member of thousands of workspaces, mostly with the same roles. */
const setsByCatalog = new WeakMap<readonly Permission[], Map<string, ReadonlySet<string>>>();
const SETS_MAX = 1_000;

/** The roles and permissions of an account in a workspace; undefined if it is not an active member. */
export async function findMembership(
  platform: Platform,
  workspace: string,
  userId: string,
): Promise<
  { readonly roles: readonly string[]; readonly permissions: ReadonlySet<string> } | undefined
> {
  const row = await store.findMembership(platform.db, workspace, userId);
  if (!row) return undefined;
  const { roles, granted } = row;
  return { roles, permissions: resolvePermissions(roles, granted, platform.permissions) };
}

/** The accounts among these that have a permission in the transaction's workspace. */
export async function findMembersWithPermission(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  permission: Permission,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await store.findMemberRoles(tx, userIds);
  const holders = rows.filter(({ roles, granted }) =>
    resolvePermissions(roles, granted, services.permissions).has(permission.name),
  );
  return new Set(holders.map(({ userId }) => userId));
}

/**
 * These accounts as principals of the transaction's workspace; an account that is not an active member has no
 * roles.
 */
export async function readPrincipals(
  { tx }: Pick<ReadContext, "tx">,
  userIds: readonly string[],
): Promise<(userId: string) => Principal> {
  const rows = userIds.length === 0 ? [] : await store.findMemberRoles(tx, userIds);
  const byId = new Map(rows.map(({ userId, roles }) => [userId, roles]));
  return (id) => ({ id, roles: byId.get(id) ?? [] });
}

/**
 * The workspaces that record an event about an account: its oldest workspace, because one action is one event, and
 * all workspaces with subscribers; the installation's home workspace if there are none. The audit logs of the other
 * workspaces include the event.
 */
export function auditWorkspaces(
  memberships: Iterable<
    | Pick<Membership, "workspace" | "hearsAudit">
    | (Pick<store.MembershipRow, "workspace"> & { readonly hearsAudit?: boolean })
  >,
  { homeWorkspace }: Pick<PlatformServices, "homeWorkspace">,
): string[] {
  const all = [...memberships].map(({ workspace, hearsAudit }) => ({
    key: typeof workspace === "string" ? workspace : workspace.key,
    hearsAudit,
  }));
  // The keys of workspaces sort by the time of their creation.
  const [oldest = homeWorkspace, ...others] = all.map(({ key }) => key).toSorted();
  const listening = new Set(all.filter(({ hearsAudit }) => hearsAudit).map(({ key }) => key));
  return [oldest, ...others.filter((key) => listening.has(key))];
}
