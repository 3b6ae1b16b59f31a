/**
 * Workflow names in addresses: webhook tokens, and workflow ids at the start of page tokens. Guessed tokens are
 * rejected from memory, without a query each. A known address is always looked up, however many guesses arrive.
 */
import { listHookNames } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";

/** With more workflows all names are looked up. */
const WORKFLOWS_MAX = 200_000;
/** With more changed workflows all names are read again. */
const CHANGED_MAX = 1_000;
const RELOAD_MS = 600_000;
/** Lookups of unknown names per minute. They are needed because another process may have deployed a new workflow. */
const UNKNOWN_PER_MINUTE = 600;

/** The names of all workflows in memory, with a rate limit for unknown names. */
export class KnownHooks {
  readonly #platform: Platform;
  /** Undefined before they are read, and if too many exist. */
  #names: Set<string> | undefined;
  #changed = new Set<string>();
  #readAtMs = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Marks a changed or new workflow. */
  note(workflowId: string): void {
    this.#changed.add(workflowId);
    if (this.#changed.size <= CHANGED_MAX) return;
    this.#changed.clear();
    this.#readAtMs = -Infinity;
  }

  /** Throws 429 for an unknown name if too many unknown names were tried. */
  async assertKnown(name: string): Promise<void> {
    if (this.#names?.has(name)) return;
    const { clock, rateLimit } = this.#platform;
    if (this.#reading) await this.#reading;
    const isOld = clock.nowMs() - this.#readAtMs >= RELOAD_MS;
    if (isOld || this.#changed.size > 0) await (this.#reading ??= this.#read(isOld));
    if (!this.#names || this.#names.has(name)) return;
    const state = rateLimit.take("unknown hooks", UNKNOWN_PER_MINUTE);
    if (!state || state.allowed) return;
    throw new Failure(RateLimited, { headers: { "retry-after": "1" } });
  }

  async #read(isWhole: boolean): Promise<void> {
    const { db, clock } = this.#platform;
    const changed = this.#changed;
    this.#changed = new Set();
    try {
      if (isWhole) {
        const names = await listHookNames(db, WORKFLOWS_MAX);
        this.#names = names && new Set(names);
        this.#readAtMs = clock.nowMs();
      } else {
        const names = await listHookNames(db, WORKFLOWS_MAX, [...changed]);
        for (const name of names ?? []) this.#names?.add(name);
      }
    } catch (error) {
      this.#readAtMs = -Infinity;
      throw error;
    } finally {
      this.#reading = undefined;
    }
  }
}
