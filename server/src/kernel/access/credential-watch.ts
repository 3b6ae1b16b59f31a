import { Loop, type LoopNext } from "../work/loop.ts";
import type { Caller, Credential } from "./caller.ts";

/** Other nodes learn of a revocation within half a second, so streams end at most 0.75 s after it. */
const CHECK_MS = 250;
const LOOKUPS_MAX = 16;

type ResolveToken = (token: string) => Promise<Credential | undefined>;

interface Watched {
  readonly token: string;
  readonly caller: Caller;
  readonly revoke: () => void;
}

/**
 * Watches the credentials of long requests. Access to a stream is checked when it opens. If its token is
 * revoked or expires, its user is removed, or the user's permissions change, the stream is closed and the
 * client has to authenticate again.
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

  /** Calls `revoke` once when the credential or its permissions change. Returns a function that stops watching. */
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

  /** Usually served by the credential cache. Requests that share a token share the check. */
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

/** True if the permissions in the caller's workspace are unchanged. */
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
