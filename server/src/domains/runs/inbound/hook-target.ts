/** Finds the deployed workflow for an address. */
import {
  findByHook,
  hookNameOf,
  type HookAddress,
  type PlannedVersion,
  planOfVersion,
} from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { KnownHooks } from "./known-hooks.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";

/** The deployed workflow that a request to an address starts. */
export interface HookTarget {
  readonly workspace: string;
  readonly workflowId: string;
  readonly version: PlannedVersion;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

const CACHE_MS = 10_000;
const CACHE_ENTRIES_MAX = 10_000;

/** Finds the workflow for an address. Undefined if none exists or its trigger is inactive. */
export function findHook(
  platform: Platform,
  address: HookAddress,
): Promise<HookTarget | undefined> {
  let cache = caches.get(platform);
  if (!cache) caches.set(platform, (cache = new HookCache(platform)));
  return cache.find(address);
}

const caches = new WeakMap<Platform, HookCache>();

/** Caches targets until an event of their workflow. */
class HookCache {
  readonly #platform: Platform;
  readonly #entries = new Map<string, { readonly target: HookTarget; readonly untilMs: number }>();
  readonly #known: KnownHooks;
  #invalidations = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#known = new KnownHooks(platform);
    platform.commitFeed.subscribe(["workflow", "user"], (notice) => this.#invalidate(notice));
  }

  async find(address: HookAddress): Promise<HookTarget | undefined> {
    const { clock } = this.#platform;
    const key = `${address.type} ${address.slug} ${address.token} ${address.environment}`;
    const known = this.#entries.get(key);
    if (known && known.untilMs > clock.nowMs()) return known.target;
    await this.#known.assertKnown(hookNameOf(address));
    const invalidations = this.#invalidations;
    const target = await this.#load(address);
    // A target read before an invalidation can be stale.
    if (target && invalidations === this.#invalidations) {
      if (this.#entries.size >= CACHE_ENTRIES_MAX) this.#entries.clear();
      this.#entries.set(key, { target, untilMs: clock.nowMs() + CACHE_MS });
    }
    return target;
  }

  async #load(address: HookAddress): Promise<HookTarget | undefined> {
    const found = await findByHook(this.#platform.db, address);
    const version = found && (await planOfVersion(this.#platform, found.versionId));
    return version && { ...found, version };
  }

  #invalidate({ type, resourceId }: CommitNotice): void {
    // Events of runs are frequent and do not change deployments.
    if (type.startsWith("workflow.run_")) return;
    this.#invalidations += 1;
    this.#known.note(resourceId);
    for (const [key, { target }] of this.#entries) {
      // A deployment also ends when the deployer loses the membership.
      const { workflowId, deployedBy } = target;
      if (workflowId === resourceId || deployedBy === resourceId) this.#entries.delete(key);
    }
  }
}
