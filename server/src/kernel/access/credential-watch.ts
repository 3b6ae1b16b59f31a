import { Loop, type LoopNext } from "../work/loop.ts";
import type { Caller, Credential } from "./caller.ts";

/** Half a second later than a revocation at the most, which other nodes hear of half a second late. */
const CHECK_MS = 250;
const LOOKUPS_MAX = 16;

type ResolveToken = (token: string) => Promise<Credential | undefined>;

interface Watched {
  readonly token: string;
  readonly caller: Caller;
  readonly revoke: () => void;
}

/**
 * Watches the credentials of requests that take long. A stream was allowed when it was opened; once its
 * token is revoked or has expired, its person removed, or their rights there are others, it ends, and
 * whoever comes back is asked anew.
 */
export class CredentialWatch {
  readonly #resolve: ResolveToken;
  readonly #onFailure: (error: unknown) => void;
  readonly #watched = new Set<Watched>();
  #loop: Loop | undefined;

  constructor(resolve: ResolveToken, onFailure: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#onFailure = onFailure;
  }

  /** Calls `revoke` once when the caller's credential no longer gives what it gave; returns how to stop. */
  watch(token: string, caller: Caller, revoke: () => void): () => void {
    const watched: Watched = { token, caller, revoke };
    this.#watched.add(watched);
    this.#loop ??= new Loop(() => this.#check(), this.#onFailure);
    return () => this.#remove(watched);
  }

  #remove(watched: Watched): void {
    if (!this.#watched.delete(watched) || this.#watched.size > 0) return;
    void this.#loop?.stop();
    this.#loop = undefined;
  }

  /** Mostly from the cache of credentials, which is told what to forget; many requests share a token. */
  async #check(): Promise<LoopNext> {
    const byToken = [...Map.groupBy(this.#watched, ({ token }) => token)];
    for (let start = 0; start < byToken.length; start += LOOKUPS_MAX) {
      const batch = byToken.slice(start, start + LOOKUPS_MAX);
      await Promise.all(batch.map(([token, watched]) => this.#checkToken(token, watched)));
    }
    return CHECK_MS;
  }

  async #checkToken(token: string, watched: readonly Watched[]): Promise<void> {
    const credential = await this.#resolve(token);
    for (const one of watched) {
      if (hasSameRights(one.caller, credential)) continue;
      this.#remove(one);
      one.revoke();
    }
  }
}

/** True when a credential gives a caller's workspace the same rights still. */
function hasSameRights(caller: Caller, credential: Credential | undefined): boolean {
  if (!credential || credential.id !== caller.credential?.id) return false;
  const { workspace, permissions, principal } = caller;
  if (!workspace) return true;
  const all = [...credential.memberships.values()];
  const membership = all.find(({ workspace: { id } }) => id === workspace.id);
  if (!membership || membership.blockedBy) return false;
  const { roles } = membership;
  return (
    permissions.size === membership.permissions.size &&
    permissions.isSubsetOf(membership.permissions) &&
    roles.length === principal?.roles.length &&
    roles.every((role) => principal.roles.includes(role))
  );
}
