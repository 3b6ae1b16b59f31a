import { WorkspaceUpdated } from "#domains/workspaces/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";

type Names = { readonly slug: string; readonly name: string };

const READ = "select slug, name from workspaces where key = $1";
const KEPT_MAX = 1_000;

/** What a script may know without asking: `context.workspace` and `context.environment`. */
export async function contextValues(
  platform: Platform,
  { workspace, environment, credential }: Caller,
): Promise<{ readonly workspace: object; readonly environment: string }> {
  if (!workspace) throw new Error("A script belongs to a workspace.");
  const memberships = [...(credential?.memberships.values() ?? [])];
  const known = memberships.find((one) => one.workspace.id === workspace.id)?.workspace;
  const { slug, name } = known ?? (await namesOf(platform, workspace.key));
  return { workspace: { id: workspace.id, slug, name }, environment };
}

const caches = new WeakMap<Platform, { known: Map<string, Names> }>();

async function namesOf(platform: Platform, key: string): Promise<Names> {
  const cache = caches.get(platform) ?? openCache(platform);
  // What is read from here on goes into this map, of which nobody hears any more once a name has changed.
  const { known } = cache;
  const kept = known.get(key);
  if (kept) return kept;
  const [names = { slug: "", name: "" }] = await platform.db.system<Names>(READ, [key]);
  if (known.size >= KEPT_MAX) known.clear();
  known.set(key, names);
  return names;
}

function openCache(platform: Platform): { known: Map<string, Names> } {
  const cache = { known: new Map<string, Names>() };
  caches.set(platform, cache);
  platform.commitFeed.subscribe(["workspace"], ({ type }) => {
    if (type === WorkspaceUpdated.type) cache.known = new Map();
  });
  return cache;
}
