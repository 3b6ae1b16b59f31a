import { WorkspaceUpdated } from "#domains/workspaces/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";

type WorkspaceNames = { readonly slug: string; readonly name: string };

const READ_NAMES = "select slug, name from workspaces where key = $1";
const CACHED_NAMES_MAX = 1_000;

/** The values of a script's context: `context.workspace` and `context.environment`. */
export async function contextValues(
  platform: Platform,
  { workspace, environment, credential }: Caller,
): Promise<{ readonly workspace: object; readonly environment: string }> {
  if (!workspace) throw new Error("A script belongs to a workspace.");
  const memberships = [...(credential?.memberships.values() ?? [])];
  const known = memberships.find(
    (membership) => membership.workspace.id === workspace.id,
  )?.workspace;
  const { slug, name } = known ?? (await readWorkspaceNames(platform, workspace.key));
  return { workspace: { id: workspace.id, slug, name }, environment };
}

const caches = new WeakMap<Platform, { known: Map<string, WorkspaceNames> }>();

async function readWorkspaceNames(platform: Platform, key: string): Promise<WorkspaceNames> {
  const cache = caches.get(platform) ?? openCache(platform);
  // A rename replaces the map, so that a running read can't cache an old name.
  const { known } = cache;
  const cached = known.get(key);
  if (cached) return cached;
  const [names = { slug: "", name: "" }] = await platform.db.system<WorkspaceNames>(READ_NAMES, [
    key,
  ]);
  if (known.size >= CACHED_NAMES_MAX) known.clear();
  known.set(key, names);
  return names;
}

function openCache(platform: Platform): { known: Map<string, WorkspaceNames> } {
  const cache = { known: new Map<string, WorkspaceNames>() };
  caches.set(platform, cache);
  platform.commitFeed.subscribe(["workspace"], ({ type }) => {
    if (type === WorkspaceUpdated.type) cache.known = new Map();
  });
  return cache;
}
