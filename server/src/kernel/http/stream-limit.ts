import { Failure, RateLimited } from "../operation/failure.ts";

/** In one process: a browser shares one stream among its tabs, and a program needs one for each topic. */
const STREAMS_MAX = 300;
const RETRY_SECONDS = 10;

/**
 * Counts the streams of events that one person, or one address of strangers, has open: each holds a connection and a
 * place at a feed.
 */
export class StreamLimit {
  readonly #open = new Map<string, number>();
  readonly #max: number;

  constructor(max = STREAMS_MAX) {
    this.#max = max;
  }

  /** Takes one more; returns how to give it back. */
  take(key: string): () => void {
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#max) {
      throw new Failure(RateLimited, {
        detail: `No more than ${this.#max} streams of events can be open at a time.`,
        headers: { "retry-after": String(RETRY_SECONDS) },
      });
    }
    this.#open.set(key, open + 1);
    return () => this.#give(key);
  }

  #give(key: string): void {
    const open = this.#open.get(key) ?? 0;
    if (open > 1) this.#open.set(key, open - 1);
    else this.#open.delete(key);
  }
}
