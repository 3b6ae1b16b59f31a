import { setTimeout as delay } from "node:timers/promises";

/** How long a step waits for its run to be written. */
const WRITE_WAIT_MAX_MS = 10_000;

/**
 * The steps that start before their run is written. They may compute; one that reaches outside waits
 * here first, since a run that is not stored must have no effects.
 */
export class SpeculativeSteps {
  readonly #reachesOutside = Promise.withResolvers<void>();
  readonly #written = Promise.withResolvers<void>();
  #steps: Promise<void>[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    // A rejection that no step waits for is not an error.
    this.#written.promise.catch(() => undefined);
  }

  /** Waits until the steps have ended, one of them reaches outside, or the time is over. */
  async waitFor(steps: readonly Promise<void>[], ms: number): Promise<void> {
    this.#steps.push(...steps);
    const timer = new AbortController();
    const late = delay(ms, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(steps), this.#reachesOutside.promise, late]);
    timer.abort();
  }

  /** Resolves when the run is written; rejects when it is not, or goes to another node. */
  untilWritten(): Promise<void> {
    this.#timer ??= setTimeout(() => this.abandon(), WRITE_WAIT_MAX_MS).unref();
    this.#reachesOutside.resolve();
    return this.#written.promise;
  }

  /** Lets the steps reach outside, now that the run is written; each is given once. */
  release(): Promise<void>[] {
    clearTimeout(this.#timer);
    this.#written.resolve();
    return this.#steps.splice(0);
  }

  /** Fails the steps that wait: the node that executes the run starts them again. */
  abandon(): void {
    clearTimeout(this.#timer);
    this.#written.reject(new Error("The run was not written here."));
  }
}
