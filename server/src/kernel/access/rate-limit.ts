import { Failure, RateLimited } from "../operation/failure.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 100_000;

export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** A rate limit: counts calls per key and process in windows of one minute. A limit of 0 means unlimited. */
export class RateLimit {
  readonly #nowMs: () => number;
  #counts = new Map<string, number>();
  #endsAtMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  take(key: string, limit: number): RateLimitState | undefined {
    if (limit === 0) return undefined;
    const now = this.#nowMs();
    // The database clock can be set back. A window must still end within one window from now.
    const over = now >= this.#endsAtMs || this.#endsAtMs - now > WINDOW_MS;
    if (over) {
      this.#counts = new Map();
      this.#endsAtMs = now + WINDOW_MS;
    }
    if (this.#counts.size >= KEYS_MAX) this.#forgetHalf();
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return {
      allowed: count <= limit,
      limit,
      remaining: Math.max(0, limit - count),
      resetSeconds: Math.max(1, Math.ceil((this.#endsAtMs - now) / 1000)),
    };
  }

  /** Throws if the limit is exceeded. */
  assert(key: string, limit: number): void {
    const state = this.take(key, limit);
    if (state && !state.allowed) {
      throw new Failure(RateLimited, { headers: { "retry-after": String(state.resetSeconds) } });
    }
  }

  /** Removes the keys with the fewest calls, so that many new keys cannot reset a key that is at its limit. */
  #forgetHalf(): void {
    const counts = Uint32Array.from(this.#counts.values()).sort();
    const median = counts[counts.length >> 1] ?? 0;
    for (const [key, count] of this.#counts) {
      if (this.#counts.size <= KEYS_MAX / 2) return;
      if (count <= median) this.#counts.delete(key);
    }
  }
}
