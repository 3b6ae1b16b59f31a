import { resolvePermissions } from "#domains/identity/accounts/index.ts";
import type { Caller, Principal } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { VisibilityContext } from "#kernel/log/event-visibility.ts";
import { readRoleGrants } from "./store.ts";

/** A person who views data, with their permissions. */
export type Viewer = Pick<Caller, "permissions" | "principal">;

/** Reads the current roles, to resolve the permissions of people. */
export async function viewerLookup(
  position: VisibilityContext,
): Promise<(person: Principal) => Viewer> {
  const { services } = position;
  const grants = await cachedRoleGrants(position);
  const viewers = new Map<string, Viewer>();
  return (person) => {
    let viewer = viewers.get(person.id);
    if (!viewer) {
      const granted = person.roles.flatMap((role) => grants.get(role) ?? []);
      const permissions = resolvePermissions(person.roles, granted, services.permissions);
      viewers.set(person.id, (viewer = { principal: person, permissions }));
    }
    return viewer;
  };
}

type RoleGrants = ReadonlyMap<string, readonly string[]>;

const WORKSPACES_MAX = 1_000;
const grantCaches = new WeakMap<PlatformServices["commitFeed"], Map<string, Promise<RoleGrants>>>();

/**
 * Reads the grants of a workspace's custom roles; cached until one changes, because each batch of events needs
 * them.
 */
function cachedRoleGrants({
  services,
  partition: { workspace },
  read,
  isDryRun,
}: VisibilityContext): Promise<RoleGrants> {
  if (isDryRun) return read(readRoleGrants);
  let cache = grantCaches.get(services.commitFeed);
  if (!cache) {
    const entries = new Map<string, Promise<RoleGrants>>();
    services.commitFeed.subscribe(["audit"], (notice) => {
      if (notice.type.startsWith("audit.role.")) entries.delete(notice.workspace);
    });
    grantCaches.set(services.commitFeed, (cache = entries));
  }
  const viewers = cache.get(workspace);
  if (viewers) return viewers;
  if (cache.size >= WORKSPACES_MAX) cache.clear();
  const grants = read(readRoleGrants);
  cache.set(workspace, grants);
  grants.catch(() => cache.delete(workspace));
  return grants;
}
