import { BATCH_EVENTS_MAX } from "./event-batch.ts";
import type { Platform, Reader } from "../contract.ts";
import { isConnectionLoss, isTransient } from "../db/errors.ts";
import type { LoopNext } from "../work/loop.ts";
import { advance, park, type Trail } from "./reader.ts";
import { recentSecrets } from "../secrets/recent-secrets.ts";

const FAILURES_BEFORE_ALONE = 2;
const FAILURES_BEFORE_PARKED = 8;
const REASON_CHARACTERS_MAX = 2_000;

/**
 * Leads one reader through the log. A batch that fails is tried again, then event by event, so that
 * what one event breaks is that event alone; after some more attempts it is parked, and the reader
 * goes on for everybody else. When the database is what fails, nothing is held against an event.
 */
export class ReaderLoop {
  readonly reader: Reader;
  readonly trail: Trail = { left: undefined };
  readonly #platform: Platform;
  readonly #onParked: (error: unknown) => void;
  #eventsMax = BATCH_EVENTS_MAX;
  #failures = 0;

  constructor(platform: Platform, reader: Reader, onParked: (error: unknown) => void) {
    this.#platform = platform;
    this.reader = reader;
    this.#onParked = onParked;
  }

  async step(): Promise<LoopNext> {
    try {
      const next = await advance(this.#platform, this.reader, this.#eventsMax, this.trail);
      this.#failures = 0;
      this.#eventsMax = Math.min(this.#eventsMax * 4, BATCH_EVENTS_MAX);
      return next;
    } catch (error) {
      if (isConnectionLoss(error) || isTransient(error)) throw error;
      this.#failures += 1;
      if (this.#failures >= FAILURES_BEFORE_ALONE) this.#eventsMax = 1;
      if (this.#failures < FAILURES_BEFORE_PARKED) throw error;
      const words = error instanceof Error ? error.message : String(error);
      const reason = recentSecrets.scrub(words).slice(0, REASON_CHARACTERS_MAX);
      const isParked = await park(this.#platform, this.reader, this.trail, reason);
      if (isParked) this.#onParked(error);
      this.#failures = 0;
      return "again";
    }
  }
}
