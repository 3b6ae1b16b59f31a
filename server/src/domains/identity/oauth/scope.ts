import { listMemberships, toMembership } from "#domains/identity/accounts/index.ts";
import type { Membership } from "#kernel/access/caller.ts";
import type { Permission } from "#kernel/access/permission.ts";
import type { Platform } from "#kernel/contract.ts";

/** The names in a `scope` parameter, each once. */
export function parseScopes(text: string): string[] {
  return [...new Set(text.split(" ").filter((scope) => scope !== ""))];
}

/**
 * Lists what agents mostly need: the permissions of those who build and of those who serve, without credentials and
 * people.
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

/** The permission of those who act by the Model Context Protocol. */
export const AGENT_SCOPE = "mcp:connect";

/**
 * The scopes with that of agents, where it was granted: an application may ask for fewer scopes, but not for a token
 * that the policy of agents would not hold for.
 */
export function keepAgentScope(scopes: readonly string[], granted: readonly string[]): string[] {
  const kept = granted.includes(AGENT_SCOPE) ? [AGENT_SCOPE] : [];
  return [...new Set([...kept, ...scopes])];
}

/** True for scopes that change nothing: what somebody may allow who only wants to be read for. */
export function isReadingScope(scope: string): boolean {
  return scope.endsWith(":read") || scope === AGENT_SCOPE || scope === "profile";
}

/** Finds an account's current membership in one workspace; undefined when it is no member. */
export async function findMembership(
  { db, permissions }: Pick<Platform, "db" | "permissions">,
  userId: string,
  workspace: string,
): Promise<(Membership & { readonly slug: string }) | undefined> {
  const [row] = await listMemberships(db, userId, workspace);
  return row && { ...toMembership(row, permissions), slug: row.slug };
}

/** Those of the granted scopes that the application is still allowed and the account still holds. */
export function effectivePermissions(
  scopes: readonly string[],
  allowed: readonly string[],
  held: ReadonlySet<string>,
): string[] {
  return scopes.filter((scope) => allowed.includes(scope) && held.has(scope));
}
