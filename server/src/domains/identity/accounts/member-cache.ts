import type { Platform } from "#kernel/contract.ts";
import { findMembership } from "./membership.ts";

type Member = Awaited<ReturnType<typeof findMembership>>;

const CACHED_MS = 30_000;
const CACHED_MEMBERS_MAX = 10_000;

/**
 * The roles and permissions of members, for what acts in their name: each step and each delivery asks. As with
 * credentials the commit feed says when to forget them, so that a removal takes effect here at once and on
 * other nodes half a second later at the most.
 */
class MemberCache {
  readonly #platform: Platform;
  readonly #members = new Map<
    string,
    { readonly member: Promise<Member>; readonly untilMs: number }
  >();

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.commitFeed.subscribe(["user", "audit", "workspace"], ({ topic, type }) => {
      if (topic !== "audit" || type.startsWith("audit.role.")) this.#members.clear();
    });
  }

  find(workspace: string, userId: string): Promise<Member> {
    const key = `${workspace} ${userId}`;
    const nowMs = performance.now();
    const cached = this.#members.get(key);
    if (cached && cached.untilMs > nowMs) return cached.member;
    if (this.#members.size >= CACHED_MEMBERS_MAX) this.#members.clear();
    // Shared by all who ask meanwhile; what is forgotten while it is read is not asked again.
    const member = findMembership(this.#platform, workspace, userId);
    const entry = { member, untilMs: nowMs + CACHED_MS };
    this.#members.set(key, entry);
    member.catch(() => {
      if (this.#members.get(key) === entry) this.#members.delete(key);
    });
    return member;
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
