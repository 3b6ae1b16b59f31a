import type { ServerResponse } from "node:http";
import { Failure, RateLimited } from "../operation/failure.ts";

/** In one process: a browser shares one stream among its tabs, and a program needs one for each topic. */
const STREAMS_MAX = 300;
const RETRY_SECONDS = 10;
/** Within which a client takes what was sent to it: some frames, and as much as the system holds for it. */
const TAKEN_WITHIN_MS = 60_000;

interface StreamBounds {
  readonly openMax?: number | undefined;
  readonly takenWithinMs?: number | undefined;
}

/**
 * Bounds streams of events. Counts those that one person, or one address of strangers, has open: each holds a
 * connection and a place at a feed. Cuts off a client that takes nothing, or too little.
 */
export class StreamLimit {
  readonly #open = new Map<string, number>();
  readonly #max: number;
  readonly #takenWithinMs: number;

  constructor({ openMax = STREAMS_MAX, takenWithinMs = TAKEN_WITHIN_MS }: StreamBounds = {}) {
    this.#max = openMax;
    this.#takenWithinMs = takenWithinMs;
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

  /**
   * The frames, of which the next is asked for once the client has room for it; the connection is destroyed if that
   * takes too long. Its time between bytes alone would be no bound: a client may take one now and then.
   */
  async *cutStalled(
    frames: AsyncIterable<string | Uint8Array>,
    response: Pick<ServerResponse, "destroy">,
  ): AsyncGenerator<string | Uint8Array> {
    let timer: NodeJS.Timeout | undefined;
    const cut = (): void => void response.destroy();
    try {
      for await (const frame of frames) {
        timer = setTimeout(cut, this.#takenWithinMs);
        yield frame;
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #give(key: string): void {
    const open = this.#open.get(key) ?? 0;
    if (open > 1) this.#open.set(key, open - 1);
    else this.#open.delete(key);
  }
}
