import type { Outside } from "#kernel/caller.ts";
import type { Partition } from "#kernel/db/database.ts";
import { isOver } from "./engine/store.ts";
import * as store from "./store.ts";

type Listener = () => void;

/** Tells those who watch a run that something happened to it; one ear for all of them. */
export class Watch {
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor({ news }: Pick<Outside, "news">) {
    news.subscribe(({ resourceId }) => this.tell(resourceId));
  }

  get runs(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  tell(runId: string): void {
    for (const listener of this.#listeners.get(runId) ?? []) listener();
  }

  subscribe(runId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(runId) === listeners) {
        this.#listeners.delete(runId);
      }
    };
  }
}

const watches = new WeakMap<Outside, Watch>();

/** The one of this process. */
export function watchOf(outside: Outside): Watch {
  let watch = watches.get(outside);
  if (!watch) watches.set(outside, (watch = new Watch(outside)));
  return watch;
}

/** What is waited for: the end of a run, and no longer than so. */
export interface Patience {
  readonly waitMs: number;
  readonly gone?: AbortSignal | undefined;
}

/** The run once it is over, or as it is when the time is; undefined when there is no such run. */
export async function untilOver(
  outside: Outside,
  partition: Partition,
  runId: string,
  { waitMs, gone }: Patience,
): Promise<store.StoredRun | undefined> {
  const patience = new Pause();
  let late = false;
  const giveUp = (): void => {
    late = true;
    patience.end();
  };
  // Listens before it looks, so that nothing comes about unnoticed in between.
  const unsubscribe = watchOf(outside).subscribe(runId, () => patience.end());
  const timer = setTimeout(giveUp, waitMs);
  const signals = [outside.ending, ...(gone ? [gone] : [])];
  for (const signal of signals) signal.addEventListener("abort", giveUp, { once: true });
  if (signals.some(({ aborted }) => aborted)) giveUp();
  try {
    for (;;) {
      const woken = patience.begin();
      const run = await outside.db.read(partition, (tx) => store.find(tx, runId));
      if (!run || isOver(run.status) || late) return run;
      await woken;
    }
  } finally {
    unsubscribe();
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener("abort", giveUp);
  }
}

/** A sleep from which one can be woken; what wakes it while nobody sleeps is not forgotten. */
export class Pause {
  #end: () => void = () => undefined;

  begin(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#end = resolve;
    return promise;
  }

  end(): void {
    this.#end();
  }
}
