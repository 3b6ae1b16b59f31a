/**
 * Writes wait while the browser has no network, in their order, and each is sent once: one whose answer was lost is
 * sent again under the same key, and the server knows it.
 */
import { useSyncExternalStore } from "react";

interface Network {
  readonly onLine: boolean;
}

export class Outbox {
  readonly #network: Network;
  readonly #events: EventTarget;
  readonly #watchers = new Set<() => void>();
  /** The end of the last write that waits; undefined while none does. */
  #last: Promise<void> | undefined;
  #size = 0;

  constructor(network: Network, events: EventTarget) {
    this.#network = network;
    this.#events = events;
  }

  /** How many writes wait. */
  get size(): number {
    return this.#size;
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Sends at once, or in its turn when there is a network again. */
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

/** How many writes wait for the network. */
export const useWaitingWrites = (): number => useSyncExternalStore(outbox.watch, () => outbox.size);

// What waits is in this page alone: the browser asks before it is left.
if (typeof document !== "undefined") {
  addEventListener("beforeunload", (event) => {
    if (outbox.size > 0) event.preventDefault();
  });
}
