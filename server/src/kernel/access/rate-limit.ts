import { Failure, RateLimited } from "../operation/failure.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 100_000;

export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Counts calls in windows of one minute, per key and process. A limit of 0 is none. */
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
    // The database's clock may have been set back: no window ends later than one window from now.
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

  /** Throws when there were too many calls. */
  assert(key: string, limit: number): void {
    const state = this.take(key, limit);
    if (state && !state.allowed) {
      throw new Failure(RateLimited, { headers: { "retry-after": String(state.resetSeconds) } });
    }
  }

  /** Forgets those that called least: a flood of new keys must not give a fresh start to whoever is at the limit. */
  #forgetHalf(): void {
    const counts = Uint32Array.from(this.#counts.values()).sort();
    const median = counts[counts.length >> 1] ?? 0;
    for (const [key, count] of this.#counts) {
      if (this.#counts.size <= KEYS_MAX / 2) return;
      if (count <= median) this.#counts.delete(key);
    }
  }
}
