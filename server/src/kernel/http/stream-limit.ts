import type { ServerResponse } from "node:http";
import { Failure, RateLimited } from "../operation/failure.ts";

/** Per process: a browser shares one stream among its tabs, and a program needs one per topic. */
const STREAMS_MAX = 300;
const RETRY_SECONDS = 10;
/** The time within which a client must receive sent data: a few frames and the socket buffers. */
const TAKEN_WITHIN_MS = 60_000;

interface StreamBounds {
  readonly openMax?: number | undefined;
  readonly takenWithinMs?: number | undefined;
}

/**
 * Limits event streams. Counts the open streams per user, or per address of anonymous clients, because each
 * uses a connection and a feed subscription. Closes clients that read too slowly.
 */
export class StreamLimit {
  readonly #open = new Map<string, number>();
  readonly #max: number;
  readonly #takenWithinMs: number;

  constructor({ openMax = STREAMS_MAX, takenWithinMs = TAKEN_WITHIN_MS }: StreamBounds = {}) {
    this.#max = openMax;
    this.#takenWithinMs = takenWithinMs;
  }

  /** Takes a stream. Returns a function that releases it. */
  take(key: string): () => void {
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#max) {
      throw new Failure(RateLimited, {
        detail: `You can open at most ${this.#max} event streams at the same time.`,
        headers: { "retry-after": String(RETRY_SECONDS) },
      });
    }
    this.#open.set(key, open + 1);
    return () => this.#give(key);
  }

  /**
   * Yields frames as the client reads. If the client takes too long, the connection is destroyed. An idle
   * timeout would not be enough, because a client can read single bytes.
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
