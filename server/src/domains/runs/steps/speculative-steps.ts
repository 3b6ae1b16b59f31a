import { setTimeout as delay } from "node:timers/promises";

/** How long a step waits for its run to be written. */
const WRITE_WAIT_MAX_MS = 10_000;

/**
 * Steps that start before their run is written. They may compute. A step with effects outside waits here first,
 * because a run that is not stored must have no effects.
 */
export class SpeculativeSteps {
  readonly #reachesOutside = Promise.withResolvers<void>();
  readonly #written = Promise.withResolvers<void>();
  #steps: Promise<void>[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    // A rejection without a waiting step is not an error.
    this.#written.promise.catch(() => undefined);
  }

  /** Waits until the steps end, a step needs external effects, or the timeout. */
  async waitFor(steps: readonly Promise<void>[], ms: number): Promise<void> {
    this.#steps.push(...steps);
    const timer = new AbortController();
    const late = delay(ms, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(steps), this.#reachesOutside.promise, late]);
    timer.abort();
  }

  /** Resolves when the run is written. Rejects if it is not written or moves to another node. */
  untilWritten(): Promise<void> {
    this.#timer ??= setTimeout(() => this.abandon(), WRITE_WAIT_MAX_MS).unref();
    this.#reachesOutside.resolve();
    return this.#written.promise;
  }

  /** Allows effects outside after the run is written. Each step is returned once. */
  release(): Promise<void>[] {
    clearTimeout(this.#timer);
    this.#written.resolve();
    return this.#steps.splice(0);
  }

  /** Fails the waiting steps. The node that executes the run starts them again. */
  abandon(): void {
    clearTimeout(this.#timer);
    this.#written.reject(new Error("The run was not written here."));
  }
}
