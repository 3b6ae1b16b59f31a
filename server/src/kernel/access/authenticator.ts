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
  /** Looks one up by its id, for what goes on in its name after the request; undefined once it is no longer good. */
  readonly findById?: (platform: Platform, id: string) => Promise<Credential | undefined>;
  /** The events after which an answer of `find` may no longer hold. */
  readonly forgetsOn: ForgetRules;
  /** Called now and then with the credentials that were used, and when last. */
  readonly touch?: (platform: Platform, lastUses: ReadonlyMap<string, Date>) => Promise<void>;
}

/** Patterns of events, by whose credentials they concern. */
export interface ForgetRules {
  /** Those that are, or belong to, the resource or the actor of the event. */
  readonly person: readonly string[];
  /** Those of all members of the workspace that the event is of. */
  readonly workspace: readonly string[];
  /** All of them: it can't be told whom the event has made a member. */
  readonly everybody?: readonly string[];
}

export interface ResolvedCredential {
  readonly credential: Credential;
  readonly expiresAtMs: number;
  /** Workspaces that are closed to it for now, whose events may open them. */
  readonly closedTo?: readonly string[];
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

/** Finds a credential that is still good by its kind and id. */
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

/** False also for an entry from before the database's clock was set back. */
function isFresh({ untilMs }: CacheEntry, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + CACHED_MS;
}

/** A look-up under way, which requests with the same token share. */
interface Flight {
  readonly entry: Promise<CacheEntry | undefined>;
  /** The subjects that were forgotten since it began. */
  readonly forgotten: Set<string>;
}

/**
 * Resolves a token to its credential. Credentials are cached for a short time, in memory alone, and the
 * commit feed invalidates those that an event concerns, so that a revocation takes effect here at once and on
 * every other node half a second later at the most. The key is the token itself, which this process has in every
 * request anyway: its hash would cost ten times the look-up. A map compares a keyed hash first, so its time
 * reveals nothing of a token.
 */
export class Authenticator {
  readonly #platform: Platform;
  readonly #sources: readonly CredentialSource[];
  readonly #cache = new Map<string, CacheEntry>();
  /** The tokens of each subject: a credential, an account or a workspace, by its id. */
  readonly #tokensOf = new Map<string, Set<string>>();
  /** The look-ups under way that a further request may share, by token. */
  readonly #flights = new Map<string, Flight>();
  /** The subjects that each look-up under way, shared or not, must not cache any more. */
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

  /**
   * Look-ups as a queue of their own: requests that share one wait for the database, though for no connection of a
   * pool.
   */
  get load(): QueueLoad {
    return { waiting: this.#forgotten.size, handedOut: this.#endedLookUps };
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

  /** Joins a look-up that is under way, unless something was forgotten since it began. */
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
    // An answer from before something was forgotten is not cached after that.
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

/** A subject that every credential has. */
const EVERYBODY = "everybody";

/** The ids of those whose events concern a credential. */
function subjectsOf({ credential, closedTo = [] }: CacheEntry): string[] {
  const { id, user, memberships } = credential;
  const workspaces = [...memberships.values()].map(({ workspace }) => workspace.key);
  return [id, user.id, ...workspaces, ...closedTo, EVERYBODY];
}

/** The one topic that a pattern is about. */
function topicIn(pattern: string): string {
  const topic = topicOf(pattern);
  if (topic === "" || topic.includes("*")) throw new Error(`${pattern} names no topic.`);
  return topic;
}
