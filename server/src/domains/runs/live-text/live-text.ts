import type { Platform } from "#kernel/contract.ts";

/** A piece of text that a step received. */
export interface TextChunk {
  readonly runId: string;
  readonly path: string;
  readonly text: string;
}

type Listener = (chunk: TextChunk) => void;

/** Streams the text of steps in this process to the current viewers of their run. */
export class LiveText {
  readonly #listeners = new Map<string, Set<Listener>>();

  add(chunk: TextChunk): void {
    for (const listener of this.#listeners.get(chunk.runId) ?? []) listener(chunk);
  }

  follow(runId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(runId);
    };
  }
}

const liveTexts = new WeakMap<object, LiveText>();

/** The instance of this process. */
export function liveTextOf(platform: Platform): LiveText {
  let liveText = liveTexts.get(platform.shutdown);
  if (!liveText) liveTexts.set(platform.shutdown, (liveText = new LiveText()));
  return liveText;
}
