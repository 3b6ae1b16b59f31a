/**
 * The names that addresses of workflows have: their tokens, and their ids, which the tokens of pages begin with.
 * Whoever tries tokens costs no read for each; an address that is known is always looked up, however many others are
 * tried.
 */
import { listHookNames } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";

/** Beyond that all are looked up. */
const WORKFLOWS_MAX = 200_000;
/** Of those that changed; beyond that all are read anew. */
const CHANGED_MAX = 1_000;
const RELOAD_MS = 600_000;
/** Look-ups of names that are not known: one may be some milliseconds old, and of another process. */
const UNKNOWN_PER_MINUTE = 600;

/** The names of all workflows in the memory of a process, and the limit on tries of others. */
export class KnownHooks {
  readonly #platform: Platform;
  /** Undefined until they are read, and where there are too many. */
  #names: Set<string> | undefined;
  #changed = new Set<string>();
  #readAtMs = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** A workflow has changed, or is new. */
  note(workflowId: string): void {
    this.#changed.add(workflowId);
    if (this.#changed.size <= CHANGED_MAX) return;
    this.#changed.clear();
    this.#readAtMs = -Infinity;
  }

  /** Throws a 429 for a name that nothing has, where too many of these are tried. */
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
