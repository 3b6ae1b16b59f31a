import type { Platform } from "#kernel/contract.ts";
import { findMembership } from "./membership.ts";

type Member = Awaited<ReturnType<typeof findMembership>>;

interface CachedMember {
  readonly member: Promise<Member>;
  readonly untilMs: number;
}

const CACHED_MS = 30_000;
const CACHED_MEMBERS_MAX = 10_000;

/**
 * Caches the roles and permissions of members, because each unattended step and delivery needs them. Like for
 * credentials, the commit feed invalidates entries, so a removal takes effect immediately on this node and within
 * half a second on others.
 */
class MemberCache {
  readonly #platform: Platform;
  /** By workspace, because events concern one workspace, then by user. */
  readonly #workspaces = new Map<string, Map<string, CachedMember>>();
  #size = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.commitFeed.subscribe(["user", "audit", "workspace"], ({ topic, type, workspace }) => {
      if (topic !== "audit" || type.startsWith("audit.role.")) this.#forget(workspace);
    });
  }

  find(workspace: string, userId: string): Promise<Member> {
    const nowMs = performance.now();
    const cached = this.#workspaces.get(workspace)?.get(userId);
    if (cached && cached.untilMs > nowMs) return cached.member;
    // Concurrent callers share one lookup; an entry invalidated during its lookup is not reused.
    const member = findMembership(this.#platform, workspace, userId);
    this.#add(workspace, userId, { member, untilMs: nowMs + CACHED_MS });
    member.catch(() => this.#forget(workspace));
    return member;
  }

  #add(workspace: string, userId: string, entry: CachedMember): void {
    if (this.#size >= CACHED_MEMBERS_MAX) {
      this.#workspaces.clear();
      this.#size = 0;
    }
    const members = this.#workspaces.get(workspace) ?? new Map<string, CachedMember>();
    this.#workspaces.set(workspace, members);
    if (!members.has(userId)) this.#size += 1;
    members.set(userId, entry);
  }

  #forget(workspace: string): void {
    this.#size -= this.#workspaces.get(workspace)?.size ?? 0;
    this.#workspaces.delete(workspace);
  }
}

const caches = new WeakMap<Platform, MemberCache>();

/** Finds a member's roles and permissions; undefined if they are not an active member. */
export function findCachedMember(
  platform: Platform,
  workspace: string,
  userId: string,
): Promise<Member> {
  let cache = caches.get(platform);
  if (!cache) caches.set(platform, (cache = new MemberCache(platform)));
  return cache.find(workspace, userId);
}
