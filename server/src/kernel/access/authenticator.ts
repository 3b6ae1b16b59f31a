import type { Platform } from "../contract.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import type { Credential } from "./caller.ts";
import { compilePattern } from "../condition/event-pattern.ts";
import { sha256 } from "./crypto.ts";
import type { Tx } from "../db/connection.ts";
import { Failure, Unauthenticated } from "../operation/failure.ts";
import { topicOf } from "../log/event.ts";
import type { LoopNext } from "../work/loop.ts";

const CACHED_MS = 30_000;
const CACHED_CREDENTIALS_MAX = 20_000;
const TOUCH_MS = 15_000;

/** One kind of token, known by how it begins, and declared by the domain that issues it. */
export interface CredentialSource {
  readonly prefix: string;
  readonly kind: Credential["kind"];
  /** Looks a credential up in a transaction, and keeps it from being revoked until that ends. */
  readonly lock: (tx: Tx, credential: Credential) => Promise<boolean>;
  /** Recognises a mistyped token without a look-up. */
  readonly looksRight?: (token: string) => boolean;
  /** Only the hash of a token is stored anywhere. */
  readonly find: (platform: Platform, tokenHash: Buffer) => Promise<ResolvedCredential | undefined>;
  /** Patterns of the events after which an answer of `find` may no longer hold. */
  readonly forgetsOn: readonly string[];
  /** Called now and then with the credentials that were used, and when last. */
  readonly touch?: (platform: Platform, lastUses: ReadonlyMap<string, Date>) => Promise<void>;
}

export interface ResolvedCredential {
  readonly credential: Credential;
  readonly expiresAtMs: number;
}

/** Where domains declare the kinds of token that they issue. */
export const CredentialSourcePoint = extensionPoint<CredentialSource>("kernel.credential_sources");

/** Throws unless the credential of a caller is still valid, as the transaction sees it. */
export async function assertCredentialValid(
  { contributions }: Pick<Platform, "contributions">,
  tx: Tx,
  credential: Credential | undefined,
): Promise<void> {
  if (!credential) return;
  const sources = contributionsTo(CredentialSourcePoint, contributions);
  const source = sources.find(({ kind }) => kind === credential.kind);
  if (!source || !(await source.lock(tx, credential))) throw new Failure(Unauthenticated);
}

interface CacheEntry extends ResolvedCredential {
  readonly source: CredentialSource;
  readonly untilMs: number;
}

/** False also for an entry from before the database's clock was set back. */
function isFresh({ untilMs }: CacheEntry, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + CACHED_MS;
}

/**
 * Resolves a token to its credential. Credentials are cached for a short time, in memory alone, and the
 * commit feed invalidates them, so that a revocation takes effect here at once and on every other node half a
 * second later at the most. The key is the token itself, which this process has in every request anyway: its
 * hash would cost ten times the look-up. A map compares a keyed hash first, so its time reveals nothing of a
 * token.
 */
export class Authenticator {
  readonly #platform: Platform;
  readonly #sources: readonly CredentialSource[];
  readonly #cache = new Map<string, CacheEntry>();
  #used = new Map<CredentialSource, Map<string, Date>>();
  /** Counts invalidations, so that a look-up which began before one is not cached after it. */
  #generation = 0;

  constructor(platform: Platform) {
    const sources = contributionsTo(CredentialSourcePoint, platform.contributions);
    this.#platform = platform;
    this.#sources = sources;
    const patterns = [...new Set(sources.flatMap(({ forgetsOn }) => forgetsOn))];
    const forgets = compilePattern(patterns);
    platform.commitFeed.subscribe([...new Set(patterns.map(topicIn))], ({ type }) => {
      if (!forgets(type)) return;
      this.#cache.clear();
      this.#generation += 1;
    });
  }

  async authenticate(token: string): Promise<Credential | undefined> {
    const entry = await this.#find(token);
    if (!entry) return undefined;
    this.#recordUse(entry, this.#platform.clock.nowMs());
    return entry.credential;
  }

  /** Resolves a token that is in use already: to look whether it still is good is no use of it. */
  async resolve(token: string): Promise<Credential | undefined> {
    return (await this.#find(token))?.credential;
  }

  /** Reports the credentials that were used, one write for many requests, and drops expired entries. */
  async touch(): Promise<LoopNext> {
    const nowMs = this.#platform.clock.nowMs();
    for (const [token, entry] of this.#cache) if (!isFresh(entry, nowMs)) this.#cache.delete(token);
    const used = this.#used;
    this.#used = new Map();
    for (const [source, uses] of used) await source.touch?.(this.#platform, uses);
    return TOUCH_MS;
  }

  async #find(token: string): Promise<CacheEntry | undefined> {
    const cached = this.#cache.get(token);
    return cached && isFresh(cached, this.#platform.clock.nowMs()) ? cached : this.#lookUp(token);
  }

  async #lookUp(token: string): Promise<CacheEntry | undefined> {
    const source = this.#sources.find(({ prefix }) => token.startsWith(prefix));
    if (!source || source.looksRight?.(token) === false) return undefined;
    const generation = this.#generation;
    const found = await source.find(this.#platform, sha256(token));
    if (!found) return undefined;
    const untilMs = Math.min(this.#platform.clock.nowMs() + CACHED_MS, found.expiresAtMs);
    const entry = { ...found, source, untilMs };
    if (generation === this.#generation) {
      if (this.#cache.size >= CACHED_CREDENTIALS_MAX) this.#cache.clear();
      this.#cache.set(token, entry);
    }
    return entry;
  }

  #recordUse({ source, credential }: CacheEntry, nowMs: number): void {
    if (!source.touch) return;
    let uses = this.#used.get(source);
    if (!uses) this.#used.set(source, (uses = new Map()));
    uses.set(credential.id, new Date(nowMs));
  }
}

/** The one topic that a pattern is about. */
function topicIn(pattern: string): string {
  const topic = topicOf(pattern);
  if (topic === "" || topic.includes("*")) throw new Error(`${pattern} names no topic.`);
  return topic;
}
