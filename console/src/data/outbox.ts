/**
 * Queues writes while the browser is offline, in order. A write whose response was lost is sent again with the same
 * idempotency key, so that the server runs it only once.
 */
import { useSyncExternalStore } from "react";

interface Network {
  readonly onLine: boolean;
}

export class Outbox {
  readonly #network: Network;
  readonly #events: EventTarget;
  readonly #watchers = new Set<() => void>();
  /** The end of the last queued write; undefined if the queue is empty. */
  #last: Promise<void> | undefined;
  #size = 0;

  constructor(network: Network, events: EventTarget) {
    this.#network = network;
    this.#events = events;
  }

  /** The number of queued writes. */
  get size(): number {
    return this.#size;
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Sends at once, or in order when the browser is online again. */
  async send<T>(attempt: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
    if (this.#last === undefined && this.#network.onLine) {
      try {
        return await attempt();
      } catch (error) {
        if (this.#network.onLine || !isLost(error)) throw error;
      }
    }
    return this.#sendInTurn(attempt, isLost);
  }

  async #sendInTurn<T>(attempt: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
    const before = this.#last;
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    this.#last = promise;
    this.#count(1);
    try {
      await before;
      for (;;) {
        await this.#untilOnline();
        try {
          return await attempt();
        } catch (error) {
          if (this.#network.onLine || !isLost(error)) throw error;
        }
      }
    } finally {
      if (this.#last === promise) this.#last = undefined;
      this.#count(-1);
      finish();
    }
  }

  #untilOnline(): Promise<void> {
    if (this.#network.onLine) return Promise.resolve();
    return new Promise((resolve) =>
      this.#events.addEventListener("online", () => resolve(), { once: true }),
    );
  }

  #count(change: number): void {
    this.#size += change;
    for (const watcher of this.#watchers) watcher();
  }
}

export const outbox = new Outbox(navigator, globalThis);

/** The number of writes that wait for the network. */
export const useWaitingWrites = (): number => useSyncExternalStore(outbox.watch, () => outbox.size);

// Queued writes exist only in this page, so the browser asks before the user leaves.
if (typeof document !== "undefined") {
  addEventListener("beforeunload", (event) => {
    if (outbox.size > 0) event.preventDefault();
  });
}
