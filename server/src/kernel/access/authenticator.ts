import type { Platform } from "../contract.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import type { Credential } from "./caller.ts";
import { compilePattern } from "../condition/event-pattern.ts";
import { sha256 } from "./crypto.ts";
import type { Tx } from "../db/connection.ts";
import type { QueueLoad } from "../db/database.ts";
import { Failure, Unauthenticated } from "../operation/failure.ts";
import { topicOf } from "../log/event.ts";
import type { LoopNext } from "../work/loop.ts";

const CACHED_MS = 30_000;
const CACHED_CREDENTIALS_MAX = 20_000;
const TOUCH_MS = 15_000;

/** A kind of token, recognised by its prefix. Declared by the domain that issues it. */
export interface CredentialSource {
  readonly prefix: string;
  readonly kind: Credential["kind"];
  /** Locks a credential in a transaction, so that it cannot be revoked before the transaction ends. */
  readonly lock: (tx: Tx, credential: Credential) => Promise<boolean>;
  /** Recognises a mistyped token without a look-up. */
  readonly looksRight?: (token: string) => boolean;
  /** Only the hash of a token is stored anywhere. */
  readonly find: (platform: Platform, tokenHash: Buffer) => Promise<ResolvedCredential | undefined>;
  /**
   * Finds a credential by id, for work that continues after the request. Returns undefined if it is no longer
   * valid.
   */
  readonly findById?: (platform: Platform, id: string) => Promise<Credential | undefined>;
  /** Events that can make a cached result of `find` stale. */
  readonly forgetsOn: ForgetRules;
  /** Called periodically with the used credentials and the time of their last use. */
  readonly touch?: (platform: Platform, lastUses: ReadonlyMap<string, Date>) => Promise<void>;
}

/** Event patterns, grouped by the credentials they invalidate. */
export interface ForgetRules {
  /** Invalidates credentials of the event's resource, of its owner, or of its actor. */
  readonly person: readonly string[];
  /** Invalidates credentials of all members of the event's workspace. */
  readonly workspace: readonly string[];
  /** Invalidates all credentials, because the event does not name the affected members. */
  readonly everybody?: readonly string[];
}

export interface ResolvedCredential {
  readonly credential: Credential;
  readonly expiresAtMs: number;
  /** Workspaces that are currently blocked for this credential. Their events may unblock it. */
  readonly closedTo?: readonly string[];
}

/** Domains declare the kinds of token they issue here. */
export const CredentialSourcePoint = extensionPoint<CredentialSource>("kernel.credential_sources");

/** Throws if the caller's credential is no longer valid in this transaction. */
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

/** Finds a valid credential by kind and id. */
export async function findCredential(
  platform: Platform,
  { kind, id }: Pick<Credential, "kind" | "id">,
): Promise<Credential | undefined> {
  const sources = contributionsTo(CredentialSourcePoint, platform.contributions);
  return sources.find((source) => source.kind === kind)?.findById?.(platform, id);
}

interface CacheEntry extends ResolvedCredential {
  readonly source: CredentialSource;
  readonly untilMs: number;
}

/** Also false for entries cached before the database clock was set back. */
function isFresh({ untilMs }: CacheEntry, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + CACHED_MS;
}

/** A pending look-up. Requests with the same token share it. */
interface Flight {
  readonly entry: Promise<CacheEntry | undefined>;
  /** Subjects that were invalidated after the look-up started. */
  readonly forgotten: Set<string>;
}

/**
 * Resolves a token to its credential. Credentials are cached in memory for a short time. The commit feed
 * invalidates the credentials that an event concerns, so a revocation takes effect immediately on this node and
 * within half a second on all others. The cache key is the token, which is in memory for every request anyway;
 * hashing it would cost ten times as much as the look-up. A map compares keyed hashes first, so its timing
 * reveals nothing about a token.
 */
export class Authenticator {
  readonly #platform: Platform;
  readonly #sources: readonly CredentialSource[];
  readonly #cache = new Map<string, CacheEntry>();
  /** Cached tokens per subject. A subject is the id of a credential, an account or a workspace. */
  readonly #tokensOf = new Map<string, Set<string>>();
  /** Pending look-ups by token that new requests may join. */
  readonly #flights = new Map<string, Flight>();
  /** For each pending look-up, the subjects whose result must not be cached. */
  readonly #forgotten = new Set<Set<string>>();
  #used = new Map<CredentialSource, Map<string, Date>>();
  #endedLookUps = 0;

  constructor(platform: Platform) {
    const sources = contributionsTo(CredentialSourcePoint, platform.contributions);
    this.#platform = platform;
    this.#sources = sources;
    const persons = sources.flatMap(({ forgetsOn }) => forgetsOn.person);
    const workspaces = sources.flatMap(({ forgetsOn }) => forgetsOn.workspace);
    const all = sources.flatMap(({ forgetsOn }) => forgetsOn.everybody ?? []);
    const concernsPerson = compilePattern(persons);
    const concernsWorkspace = compilePattern(workspaces);
    const concernsEverybody = compilePattern(all);
    const topics = new Set([...persons, ...workspaces, ...all].map(topicIn));
    platform.commitFeed.subscribe([...topics], ({ type, workspace, resourceId, actorId }) => {
      if (concernsEverybody(type)) this.#forget([EVERYBODY]);
      if (concernsPerson(type)) this.#forget([resourceId, actorId]);
      if (concernsWorkspace(type)) this.#forget([workspace]);
    });
  }

  /** The look-ups as a queue: requests that share one wait for the database but do not occupy a pool connection. */
  get load(): QueueLoad {
    return { waiting: this.#forgotten.size, handedOut: this.#endedLookUps };
  }

  async authenticate(token: string): Promise<Credential | undefined> {
    const entry = await this.#find(token);
    if (!entry) return undefined;
    this.#recordUse(entry, this.#platform.clock.nowMs());
    return entry.credential;
  }

  /** Resolves a token without counting it as used. Only for checks that the token is still valid. */
  async resolve(token: string): Promise<Credential | undefined> {
    return (await this.#find(token))?.credential;
  }

  /** Saves the last use of many credentials in one write, and removes expired cache entries. */
  async touch(): Promise<LoopNext> {
    const nowMs = this.#platform.clock.nowMs();
    for (const [token, entry] of this.#cache) if (!isFresh(entry, nowMs)) this.#drop(token, entry);
    const used = this.#used;
    this.#used = new Map();
    for (const [source, uses] of used) await source.touch?.(this.#platform, uses);
    return TOUCH_MS;
  }

  async #find(token: string): Promise<CacheEntry | undefined> {
    const cached = this.#cache.get(token);
    return cached && isFresh(cached, this.#platform.clock.nowMs()) ? cached : this.#lookUp(token);
  }

  /** Joins a pending look-up unless something was invalidated after it started. */
  #lookUp(token: string): Promise<CacheEntry | undefined> {
    const shared = this.#flights.get(token);
    if (shared?.forgotten.size === 0) return shared.entry;
    const forgotten = new Set<string>();
    const entry = this.#resolve(token, forgotten).finally(() => {
      this.#endedLookUps += 1;
      this.#forgotten.delete(forgotten);
      if (this.#flights.get(token) === flight) this.#flights.delete(token);
    });
    this.#forgotten.add(forgotten);
    const flight = { entry, forgotten };
    this.#flights.set(token, flight);
    return entry;
  }

  async #resolve(token: string, forgotten: ReadonlySet<string>): Promise<CacheEntry | undefined> {
    const source = this.#sources.find(({ prefix }) => token.startsWith(prefix));
    if (!source || source.looksRight?.(token) === false) return undefined;
    const found = await source.find(this.#platform, sha256(token));
    if (!found) return undefined;
    const untilMs = Math.min(this.#platform.clock.nowMs() + CACHED_MS, found.expiresAtMs);
    const entry = { ...found, source, untilMs };
    // A result read before an invalidation must not be cached.
    if (subjectsOf(entry).every((subject) => !forgotten.has(subject))) this.#keep(token, entry);
    return entry;
  }

  #keep(token: string, entry: CacheEntry): void {
    if (this.#cache.size >= CACHED_CREDENTIALS_MAX) {
      this.#cache.clear();
      this.#tokensOf.clear();
    }
    const before = this.#cache.get(token);
    if (before) this.#drop(token, before);
    this.#cache.set(token, entry);
    for (const subject of subjectsOf(entry)) {
      const tokens = this.#tokensOf.get(subject);
      if (tokens) tokens.add(token);
      else this.#tokensOf.set(subject, new Set([token]));
    }
  }

  #drop(token: string, entry: CacheEntry): void {
    this.#cache.delete(token);
    for (const subject of subjectsOf(entry)) {
      const tokens = this.#tokensOf.get(subject);
      tokens?.delete(token);
      if (tokens?.size === 0) this.#tokensOf.delete(subject);
    }
  }

  #forget(subjects: readonly string[]): void {
    for (const forgotten of this.#forgotten) {
      for (const subject of subjects) forgotten.add(subject);
    }
    for (const token of subjects.flatMap((subject) => [...(this.#tokensOf.get(subject) ?? [])])) {
      const entry = this.#cache.get(token);
      if (entry) this.#drop(token, entry);
    }
  }

  #recordUse({ source, credential }: CacheEntry, nowMs: number): void {
    if (!source.touch) return;
    let uses = this.#used.get(source);
    if (!uses) this.#used.set(source, (uses = new Map()));
    uses.set(credential.id, new Date(nowMs));
  }
}

/** A subject that matches every credential. */
const EVERYBODY = "everybody";

/** The ids of the subjects whose events can invalidate a credential. */
function subjectsOf({ credential, closedTo = [] }: CacheEntry): string[] {
  const { id, user, memberships } = credential;
  const workspaces = [...memberships.values()].map(({ workspace }) => workspace.key);
  return [id, user.id, ...workspaces, ...closedTo, EVERYBODY];
}

/** The topic of a pattern. Patterns with a wildcard topic are rejected. */
function topicIn(pattern: string): string {
  const topic = topicOf(pattern);
  if (topic === "" || topic.includes("*")) throw new Error(`${pattern} names no topic.`);
  return topic;
}
