import { monitorEventLoopDelay } from "node:perf_hooks";
import { Failure, Unavailable } from "../failure.ts";
import type { Kernel } from "../kernel.ts";

const LOOP_DELAY_MAX_MS = 1_000;
const WAITING_MAX = 2_000;
const SAMPLE_MS = 500;

/** Sheds load before everything is slow for everybody: a quick 503 beats a late answer. */
export class Pressure {
  readonly #kernel: Kernel;
  readonly #delayMaxMs: number;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #timer: NodeJS.Timeout;
  #delayMs = 0;

  constructor(kernel: Kernel, delayMaxMs = LOOP_DELAY_MAX_MS) {
    this.#kernel = kernel;
    this.#delayMaxMs = delayMaxMs;
    this.#delay.enable();
    this.#timer = setInterval(() => {
      this.#delayMs = this.#delay.mean / 1e6;
      this.#delay.reset();
    }, SAMPLE_MS).unref();
  }

  assertBearable(): void {
    const { draining, db } = this.#kernel;
    if (draining || this.#delayMs > this.#delayMaxMs || db.waiting > WAITING_MAX) {
      throw new Failure(Unavailable, { headers: { "retry-after": "1" } });
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}
