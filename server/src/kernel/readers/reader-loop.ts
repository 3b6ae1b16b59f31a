import { BATCH_EVENTS_MAX } from "./event-batch.ts";
import type { Platform, Reader } from "../contract.ts";
import { isConnectionLoss, isTransient } from "../db/errors.ts";
import type { LogPosition } from "../log/event.ts";
import type { LoopNext } from "../work/loop.ts";
import { advanceReader, deadLetterEvent, type ReaderState } from "./reader.ts";
import { recentSecrets } from "../secrets/recent-secrets.ts";

/** Failures of a batch before its events are handled one by one. */
const BATCH_ATTEMPTS_MAX = 2;
const EVENT_ATTEMPTS_MAX = 8;
const REASON_CHARACTERS_MAX = 2_000;

/**
 * Advances one reader. A failing batch is retried and then handled event by event, so that a poison event fails
 * alone. After more attempts it becomes a dead letter, and the reader continues. A database failure does not
 * count as an attempt.
 */
export class ReaderLoop {
  readonly reader: Reader;
  readonly state: ReaderState = { handledUntil: undefined };
  readonly #platform: Platform;
  readonly #onDeadLetter: (error: unknown) => void;
  #eventsMax = BATCH_EVENTS_MAX;
  #failures = 0;

  constructor(platform: Platform, reader: Reader, onDeadLetter: (error: unknown) => void) {
    this.#platform = platform;
    this.reader = reader;
    this.#onDeadLetter = onDeadLetter;
  }

  /** Advances by one batch, not beyond `until`. */
  async step(until?: LogPosition): Promise<LoopNext> {
    const limits = { eventsMax: this.#eventsMax, until };
    try {
      const next = await advanceReader(this.#platform, this.reader, limits, this.state);
      this.#failures = 0;
      this.#eventsMax = Math.min(this.#eventsMax * 4, BATCH_EVENTS_MAX);
      return next;
    } catch (error) {
      if (isConnectionLoss(error) || isTransient(error)) throw error;
      this.#failures += 1;
      if (this.#failures >= BATCH_ATTEMPTS_MAX) this.#eventsMax = 1;
      if (this.#failures < EVENT_ATTEMPTS_MAX) throw error;
      const reason = tellReason(error);
      const isMoved = await deadLetterEvent(this.#platform, this.reader, this.state, reason);
      if (isMoved) this.#onDeadLetter(error);
      this.#failures = 0;
      return "again";
    }
  }
}

/** Describes a failure without secrets. */
export function tellReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return recentSecrets.scrub(text).slice(0, REASON_CHARACTERS_MAX);
}
