import { monitorEventLoopDelay } from "node:perf_hooks";
import { Failure, Unavailable } from "../operation/failure.ts";
import type { Kernel } from "../kernel.ts";

const LOOP_DELAY_MAX_MS = 1_000;
const WAITING_MAX = 2_000;
const SAMPLE_MS = 500;
/** So often in a row somebody waited for a connection and nobody was given one. */
const STILL_SAMPLES_MAX = 4;

/** Sheds load before everything is slow for everybody: a quick 503 beats a late answer. */
export class LoadShedder {
  readonly #kernel: Kernel;
  readonly #delayMaxMs: number;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #timer: NodeJS.Timeout;
  #delayMs = 0;
  #handedOut = 0;
  #stillSamples = 0;

  constructor(kernel: Kernel, delayMaxMs = LOOP_DELAY_MAX_MS) {
    this.#kernel = kernel;
    this.#delayMaxMs = delayMaxMs;
    this.#delay.enable();
    this.#timer = setInterval(() => {
      this.#delayMs = this.#delay.mean / 1e6;
      this.#delay.reset();
      this.#lookAtQueue();
    }, SAMPLE_MS).unref();
  }

  assertCapacity(): void {
    const { draining, db } = this.#kernel;
    const slow = this.#delayMs > this.#delayMaxMs;
    const stuck = db.waiting > WAITING_MAX || this.#stillSamples >= STILL_SAMPLES_MAX;
    if (draining || slow || stuck) {
      throw new Failure(Unavailable, { headers: { "retry-after": "1" } });
    }
  }

  /** A database that answers nobody is no place to queue: those who wait are enough to see that it is back. */
  #lookAtQueue(): void {
    const { waiting, handedOut } = this.#kernel.db;
    const still = waiting > 0 && handedOut === this.#handedOut;
    this.#stillSamples = still ? this.#stillSamples + 1 : 0;
    this.#handedOut = handedOut;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}
