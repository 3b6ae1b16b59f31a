import { setTimeout as delay } from "node:timers/promises";

/**
 * "again": more work may be available now. "soon": after a short delay that grows with repetition. A number: after
 * this many milliseconds.
 */
export type LoopNext = "again" | "soon" | number;

const BUSY_PAUSE_FACTOR = 15;
const SOON_MIN_MS = 3;
const SOON_MAX_MS = 100;
const FAILURE_DELAY_MIN_MS = 100;
const FAILURE_DELAY_MAX_MS = 10_000;

/**
 * Runs steps until it is stopped: immediately while there is work, otherwise at the next wake-up or after the delay
 * returned by the step. A step that throws is retried with back-off.
 */
export class Loop {
  readonly #pauseMs: number;
  readonly #step: () => Promise<LoopNext>;
  readonly #onFailure: (error: unknown) => void;
  readonly #ended: Promise<void>;
  #running = true;
  #woken = false;
  #sleep: AbortController | undefined;

  /** Under load, `pauseMs` lets work accumulate so that a step handles more of it. */
  constructor(step: () => Promise<LoopNext>, onFailure: (error: unknown) => void, pauseMs = 0) {
    this.#pauseMs = pauseMs;
    this.#step = step;
    this.#onFailure = onFailure;
    this.#ended = this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#sleep?.abort();
  }

  /** Resolves when the current step has ended. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#sleep?.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    let failures = 0;
    let soon = 0;
    while (this.#running) {
      this.#woken = false;
      let next: LoopNext;
      try {
        next = await this.#step();
        failures = 0;
      } catch (error) {
        this.#onFailure(error);
        next = Math.min(FAILURE_DELAY_MIN_MS * 2 ** failures, FAILURE_DELAY_MAX_MS);
        failures += 1;
      }
      soon = next === "soon" ? soon + 1 : 0;
      if (next === "again") continue;
      const waitMs = next === "soon" ? Math.min(SOON_MIN_MS * 2 ** (soon - 1), SOON_MAX_MS) : next;
      // Woken during the step: work arrives continuously, and larger batches are cheaper.
      const pauseMs = this.#woken ? this.#pauseMs * BUSY_PAUSE_FACTOR : this.#pauseMs;
      if (!this.#woken || failures > 0) await this.#wait(waitMs);
      if (pauseMs > 0 && this.#running) await delay(pauseMs);
    }
  }

  async #wait(ms: number): Promise<void> {
    if (!this.#running) return;
    this.#sleep = new AbortController();
    // An abort wakes it.
    await delay(ms, undefined, { signal: this.#sleep.signal }).catch(() => undefined);
    this.#sleep = undefined;
  }
}
