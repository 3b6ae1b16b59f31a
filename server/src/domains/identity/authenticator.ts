import type { Credential, Membership, Outside } from "#kernel/caller.ts";
import { sha256 } from "#kernel/crypto.ts";
import { workspaceIdOf } from "#kernel/id.ts";
import type { Permission } from "#kernel/permission.ts";
import { findSession, membershipsOf, type MembershipRow } from "./store.ts";

const CACHED_MS = 30_000;
const CACHED_CREDENTIALS_MAX = 20_000;

/** What changes whom a credential stands for or what it may do; the log tells of each. */
const RELEVANT =
  /^(audit\.(auth\.logout|token|role|sso|mfa|settings|oauth_application)|user|workspace)\b/;

interface Entry {
  readonly credential: Credential;
  readonly untilMs: number;
}

/**
 * From a token to its credential. Answers are kept for a short time under the token's hash, and the
 * log says when to forget them, so that the end of a session takes effect at once on every node.
 */
export class Authenticator {
  readonly #outside: Outside;
  readonly #cache = new Map<string, Entry>();
  /** Counts forgettings, so that a look-up which began before one is not kept after it. */
  #generation = 0;

  constructor(outside: Outside) {
    this.#outside = outside;
    outside.news.subscribe(({ type }) => {
      if (!RELEVANT.test(type)) return;
      this.#cache.clear();
      this.#generation += 1;
    });
  }

  async authenticate(token: string): Promise<Credential | undefined> {
    const hash = sha256(token);
    const key = hash.toString("base64");
    const nowMs = this.#outside.clock.nowMs();
    const known = this.#cache.get(key);
    if (known && known.untilMs > nowMs) return known.credential;
    const generation = this.#generation;
    const found = await this.#lookUp(hash);
    if (!found) return undefined;
    if (generation === this.#generation) {
      if (this.#cache.size >= CACHED_CREDENTIALS_MAX) this.#cache.clear();
      const untilMs = Math.min(nowMs + CACHED_MS, Date.parse(found.expiresAt));
      this.#cache.set(key, { credential: found.credential, untilMs });
    }
    return found.credential;
  }

  async #lookUp(hash: Buffer): Promise<{ credential: Credential; expiresAt: string } | undefined> {
    const { db, clock, permissions } = this.#outside;
    const session = await findSession(db, hash, clock.now());
    if (!session) return undefined;
    const rows = await membershipsOf(db, session.user_id);
    const { id, user_id, email, name, expires_at } = session;
    const credential: Credential = {
      id,
      kind: "session",
      actor: { id: user_id, name, type: "user" },
      user: { id: user_id, email, name },
      memberships: new Map(rows.map((row) => [row.slug, toMembership(row, permissions)])),
    };
    return { credential, expiresAt: expires_at };
  }
}

function toMembership(row: MembershipRow, catalog: readonly Permission[]): Membership {
  const { workspace, slug, name, roles } = row;
  return {
    workspace: { key: workspace, id: workspaceIdOf(workspace), slug, name },
    roles,
    permissions: new Set(
      catalog
        .filter((one) => one.roles.some((role) => roles.includes(role)))
        .map((one) => one.name),
    ),
  };
}
