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
 * The roles and permissions of members, for what acts in their name: each step and each delivery asks. As with
 * credentials the commit feed says when to forget them, so that a removal takes effect here at once and on
 * other nodes half a second later at the most.
 */
class MemberCache {
  readonly #platform: Platform;
  /** By workspace, whose events concern nobody elsewhere, then by user. */
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
    // Shared by all who ask meanwhile; what is forgotten while it is read is not asked again.
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

/** Finds a member's roles and permissions; undefined for whoever is no active member. */
export function findCachedMember(
  platform: Platform,
  workspace: string,
  userId: string,
): Promise<Member> {
  let cache = caches.get(platform);
  if (!cache) caches.set(platform, (cache = new MemberCache(platform)));
  return cache.find(workspace, userId);
}
