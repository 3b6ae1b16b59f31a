/**
 * Authority: in whose name something acts that nobody attends to. What is saved or deployed keeps a member, and
 * the permissions of the credential that saved it where that had fewer. Their rights are looked up when it
 * acts: whoever leaves, or loses a permission, takes it from all that they left behind.
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
  /** The permissions to which it is confined, of those that the member has; all of them when absent. */
  readonly permissions?: readonly string[] | null | undefined;
}

/** The rights of somebody now. */
export type Rights = Pick<Caller, "permissions"> & { readonly principal: Principal };

export const NobodyBehind = failure(
  "nobody_behind",
  409,
  "The user that this automation acts as is no longer an active member. Another member must save or deploy it.",
);

/** The authority that a caller gives to what they save. */
export function authorityOf(caller: Caller): Authority & {
  readonly permissions: readonly string[] | null;
} {
  return {
    runAs: caller.principal?.id ?? userIdOf(caller),
    permissions: confinementOf(caller) ?? null,
  };
}

/**
 * The permissions to which a caller confines what they save: a token with fewer than its person must not
 * gain the rest through a workflow, nor must code that acts in somebody's stead. Undefined for a session: what
 * it saves has whatever the person may do when it acts.
 */
export function confinementOf(caller: Caller): readonly string[] | undefined {
  return isInPerson(caller) ? undefined : [...caller.permissions].toSorted();
}

/** The rights that an authority has now; undefined when there is no active member behind it. */
export async function findRights(
  platform: Platform,
  workspace: string,
  authority: Authority,
): Promise<Rights | undefined> {
  const member = await findCachedMember(platform, workspace, authority.runAs);
  return member && confine(authority, member);
}

/** The rights that an authority has now; throws when there is no active member behind it. */
export async function requireRights(
  platform: Platform,
  workspace: string,
  authority: Authority,
): Promise<Rights> {
  const rights = await findRights(platform, workspace, authority);
  if (!rights) throw new Failure(NobodyBehind);
  return rights;
}

/** Reads the rights of these people at once, in the transaction's workspace. */
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

/** The rights of an authority whose member has these roles, and what the custom ones among them grant. */
export function confineMember(
  authority: Authority,
  { roles, granted }: { readonly roles: readonly string[]; readonly granted: readonly string[] },
  services: Pick<PlatformServices, "permissions">,
): Rights {
  const permissions = resolvePermissions(roles, granted, services.permissions);
  return confine(authority, { roles, permissions });
}

/** Throws when there is no active member behind an authority. */
export async function assertBehind(
  ctx: Pick<ReadContext, "tx" | "services">,
  authority: Authority,
): Promise<void> {
  const rightsOf = await readRights(ctx, [authority.runAs]);
  if (!rightsOf(authority)) throw new Failure(NobodyBehind);
}

/** The roles that no rule of a table binds. */
const UNRESTRICTED_ROLES: readonly string[] = ["owner", "admin"];

/**
 * The rights that two people share, for code that one wrote and another runs. It acts for the first of them,
 * with the roles that both have: a rule about one's own rows means those of the first.
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

/** SQL that is true where a column names an active member of the workspace in another. */
export function activeMemberSql(userColumn: string, workspaceColumn: string): string {
  return `exists (select from memberships m where m.workspace_id = ${workspaceColumn}
                     and m.user_id = ${userColumn} and m.status = 'active')`;
}
