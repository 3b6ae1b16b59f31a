import { listMemberships, toMembership } from "#domains/identity/accounts/index.ts";
import type { Membership } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";

/** The names in a `scope` parameter, each once. */
export function parseScopes(text: string): string[] {
  return [...new Set(text.split(" ").filter((scope) => scope !== ""))];
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
