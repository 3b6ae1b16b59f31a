import { listMemberships, toMembership } from "#domains/identity/accounts/index.ts";
import type { Membership } from "#kernel/access/caller.ts";
import type { Permission } from "#kernel/access/permission.ts";
import type { Platform } from "#kernel/contract.ts";

/** The names in a `scope` parameter, each once. */
export function parseScopes(text: string): string[] {
  return [...new Set(text.split(" ").filter((scope) => scope !== ""))];
}

/**
 * The permissions that agents usually need: those of builders and service agents, without credentials and people.
 */
export function agentScopes(catalog: readonly Permission[]): string[] {
  return catalog
    .filter(
      ({ name, roles }) =>
        !NOT_FOR_AGENTS.test(name) && roles.some((role) => AGENT_ROLES.has(role)),
    )
    .map(({ name }) => name)
    .toSorted();
}

const AGENT_ROLES: ReadonlySet<string> = new Set(["builder", "agent"]);
const NOT_FOR_AGENTS =
  /^(?:tokens|secrets|oauth_applications|users|roles|profile|sessions|approvals)(?::|$)/;

/** The permission to use the Model Context Protocol. */
export const AGENT_SCOPE = "mcp:connect";

/**
 * Adds the agent scope if it was granted: an application may request fewer scopes, but not a token without the
 * agent policy.
 */
export function keepAgentScope(scopes: readonly string[], granted: readonly string[]): string[] {
  const kept = granted.includes(AGENT_SCOPE) ? [AGENT_SCOPE] : [];
  return [...new Set([...kept, ...scopes])];
}

/** Returns whether a scope only reads, for persons who grant read access only. */
export function isReadingScope(scope: string): boolean {
  return scope.endsWith(":read") || scope === AGENT_SCOPE || scope === "profile";
}

/** Finds an account's current membership in one workspace; undefined if it is not a member. */
export async function findMembership(
  { db, permissions }: Pick<Platform, "db" | "permissions">,
  userId: string,
  workspace: string,
): Promise<(Membership & { readonly slug: string }) | undefined> {
  const [row] = await listMemberships(db, userId, workspace);
  return row && { ...toMembership(row, permissions), slug: row.slug };
}

/** The granted scopes that the application may still use and the account still has. */
export function effectivePermissions(
  scopes: readonly string[],
  allowed: readonly string[],
  held: ReadonlySet<string>,
): string[] {
  return scopes.filter((scope) => allowed.includes(scope) && held.has(scope));
}
