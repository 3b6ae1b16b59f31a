/**
 * Authority: the member for whom unattended work runs. Saved and deployed objects store the member, and the
 * permissions of the credential that saved them if it had fewer. The rights are resolved at run time: a member who
 * leaves or loses a permission loses it in all their automations.
 */
import { type Caller, isInPerson, type Principal, userIdOf } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices, ReadContext } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { findCachedMember } from "./member-cache.ts";
import { resolvePermissions } from "./membership.ts";
import * as store from "./store.ts";

export interface Authority {
  /** The member in whose name it acts. */
  readonly runAs: string;
  /** The permissions that limit it, among those of the member; all of them if absent. */
  readonly permissions?: readonly string[] | null | undefined;
}

/** The current rights of a person. */
export type Rights = Pick<Caller, "permissions"> & { readonly principal: Principal };

export const NobodyBehind = failure(
  "nobody_behind",
  409,
  "The user that this automation acts as is no longer an active member. Another member must save or deploy it.",
);

/** The authority that a caller gives to the objects they save. */
export function authorityOf(caller: Caller): Authority & {
  readonly permissions: readonly string[] | null;
} {
  return {
    runAs: caller.principal?.id ?? userIdOf(caller),
    permissions: confinementOf(caller) ?? null,
  };
}

/**
 * The permissions that limit what a caller saves: a token with fewer permissions than its person must not gain the
 * others through a workflow, and neither must code that acts for a person. Undefined for a session: its objects
 * have all permissions that the person has at run time.
 */
export function confinementOf(caller: Caller): readonly string[] | undefined {
  return isInPerson(caller) ? undefined : [...caller.permissions].toSorted();
}

/** The current rights of an authority; undefined if its member is not active. */
export async function findRights(
  platform: Platform,
  workspace: string,
  authority: Authority,
): Promise<Rights | undefined> {
  const member = await findCachedMember(platform, workspace, authority.runAs);
  return member && confine(authority, member);
}

/** The current rights of an authority; throws if its member is not active. */
export async function requireRights(
  platform: Platform,
  workspace: string,
  authority: Authority,
): Promise<Rights> {
  const rights = await findRights(platform, workspace, authority);
  if (!rights) throw new Failure(NobodyBehind);
  return rights;
}

/** Reads the rights of several people in one query, in the transaction's workspace. */
export async function readRights(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  userIds: readonly string[],
): Promise<(authority: Authority) => Rights | undefined> {
  const unique = [...new Set(userIds)];
  const rows = unique.length === 0 ? [] : await store.findMemberRoles(tx, unique);
  const members = new Map(rows.map((row) => [row.userId, row]));
  return (authority) => {
    const member = members.get(authority.runAs);
    return member && confineMember(authority, member, services);
  };
}

/** The rights of an authority, given the roles of its member and the grants of custom roles. */
export function confineMember(
  authority: Authority,
  { roles, granted }: { readonly roles: readonly string[]; readonly granted: readonly string[] },
  services: Pick<PlatformServices, "permissions">,
): Rights {
  const permissions = resolvePermissions(roles, granted, services.permissions);
  return confine(authority, { roles, permissions });
}

/** Throws if an authority has no active member. */
export async function assertBehind(
  ctx: Pick<ReadContext, "tx" | "services">,
  authority: Authority,
): Promise<void> {
  const rightsOf = await readRights(ctx, [authority.runAs]);
  if (!rightsOf(authority)) throw new Failure(NobodyBehind);
}

/** The roles that access rules of tables do not restrict. */
const UNRESTRICTED_ROLES: readonly string[] = ["owner", "admin"];

/**
 * The common rights of two people, for code that one wrote and another runs. It acts as the first, with the roles
 * that both have; a rule about own rows refers to the first.
 */
export function intersectRights(actor: Rights, author: Rights): Rights {
  if (actor.principal.id === author.principal.id && actor.permissions === author.permissions) {
    return actor;
  }
  return {
    permissions: actor.permissions.intersection(author.permissions),
    principal: {
      id: actor.principal.id,
      roles: intersectRoles(actor.principal.roles, author.principal.roles),
    },
  };
}

function intersectRoles(left: readonly string[], right: readonly string[]): readonly string[] {
  if (isUnrestricted(left)) return right;
  return isUnrestricted(right) ? left : left.filter((role) => right.includes(role));
}

function isUnrestricted(roles: readonly string[]): boolean {
  return roles.some((role) => UNRESTRICTED_ROLES.includes(role));
}

function confine(
  { runAs, permissions }: Authority,
  member: { readonly roles: readonly string[]; readonly permissions: ReadonlySet<string> },
): Rights {
  return {
    principal: { id: runAs, roles: member.roles },
    permissions: permissions
      ? new Set(permissions.filter((name) => member.permissions.has(name)))
      : member.permissions,
  };
}

/** SQL that is true if a column contains an active member of the workspace in another column. */
export function activeMemberSql(userColumn: string, workspaceColumn: string): string {
  return `exists (select from memberships m where m.workspace_id = ${workspaceColumn}
                     and m.user_id = ${userColumn} and m.status = 'active')`;
}
