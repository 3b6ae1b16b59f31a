import { setTimeout as delay } from "node:timers/promises";

/** Nobody waits longer for a run to be written. */
const PATIENCE_MS = 10_000;

/**
 * Steps that were begun before their run is written. They compute; one that wants to reach outside waits
 * here, since nobody must meet the effects of a run that does not exist.
 */
export class SpeculativeSteps {
  readonly #reached = Promise.withResolvers<void>();
  readonly #written = Promise.withResolvers<void>();
  #ended: Promise<void>[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    // Who waits hears it; often nobody does.
    this.#written.promise.catch(() => undefined);
  }

  /** Resolves when these have ended, one of them wants to reach outside, or the time is over. */
  async watch(ended: readonly Promise<void>[], ms: number): Promise<void> {
    this.#ended.push(...ended);
    const timer = new AbortController();
    const late = delay(ms, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(ended), this.#reached.promise, late]);
    timer.abort();
  }

  /** Resolves when the run is written; rejects when it is not, or is another node's to carry on. */
  written(): Promise<void> {
    this.#timer ??= setTimeout(() => this.leave(), PATIENCE_MS).unref();
    this.#reached.resolve();
    return this.#written.promise;
  }

  /** The run is written, so they may go on; each is given out once. */
  take(): Promise<void>[] {
    clearTimeout(this.#timer);
    this.#written.resolve();
    return this.#ended.splice(0);
  }

  /** Whoever carries the run on begins them anew. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#written.reject(new Error("The run was not written here."));
  }
}
