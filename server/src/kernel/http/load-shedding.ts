import { monitorEventLoopDelay } from "node:perf_hooks";
import { Failure, Unavailable } from "../operation/failure.ts";
import type { QueueLoad } from "../db/database.ts";
import type { Kernel } from "../kernel.ts";

const LOOP_DELAY_MAX_MS = 1_000;
const DB_WAITING_MAX = 2_000;
const SAMPLE_MS = 500;
/** The number of consecutive samples with waiting requests and without progress of the database. */
const STALLED_SAMPLES_MAX = 4;

/** Load shedding under back pressure of the event loop and the database: a fast 503 is better than a late response. */
export class LoadShedder {
  readonly #kernel: Kernel;
  readonly #delayMaxMs: number;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #timer: NodeJS.Timeout;
  #delayMs = 0;
  /** The longest delay since the last read. */
  #longestMs = 0;
  #loads: readonly QueueLoad[] = [];
  /** The number of consecutive stalled samples per queue. */
  #stalledSamples: readonly number[] = [];

  constructor(kernel: Kernel, delayMaxMs = LOOP_DELAY_MAX_MS) {
    this.#kernel = kernel;
    this.#delayMaxMs = delayMaxMs;
    this.#delay.enable();
    this.#timer = setInterval(() => {
      this.#delayMs = this.#delay.mean / 1e6;
      this.#longestMs = Math.max(this.#longestMs, this.#delay.max / 1e6);
      this.#delay.reset();
      this.#sampleQueues();
    }, SAMPLE_MS).unref();
  }

  assertCapacity(): void {
    const { draining, db } = this.#kernel;
    const slow = this.#delayMs > this.#delayMaxMs;
    const isStalled = this.#stalledSamples.some((count) => count >= STALLED_SAMPLES_MAX);
    if (draining || slow || isStalled || db.waiting > DB_WAITING_MAX) {
      throw new Failure(Unavailable, { headers: { "retry-after": "1" } });
    }
  }

  /** Requests must not queue for a stalled database. The waiting ones are enough to detect its recovery. */
  #sampleQueues(): void {
    const { db, authenticator } = this.#kernel;
    const loads = [...db.loads, authenticator.load];
    this.#stalledSamples = loads.map(({ waiting, handedOut }, at) => {
      const isStalled = waiting > 0 && handedOut === this.#loads[at]?.handedOut;
      return isStalled ? (this.#stalledSamples[at] ?? 0) + 1 : 0;
    });
    this.#loads = loads;
  }

  /** The longest delay of the event loop since the last call. */
  takeLoopDelayMs(): number {
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}
