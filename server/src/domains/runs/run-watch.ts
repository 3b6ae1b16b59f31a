import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { isOver } from "./engine/store.ts";
import * as store from "./store.ts";

type Listener = () => void;

const LOOK_MS = 250;
const LOOK = "select id, entries, status from runs where id = any($1::text[])";

/**
 * Tells those who watch a run that something happened to it: one ear for all of them. That a step
 * ended is no event; for those who want to know that too, one look at the database serves all.
 */
export class Watch {
  readonly #platform: Pick<Platform, "db" | "log">;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** How many follow each run, and what it was like at the last look. */
  readonly #followed = new Map<string, { count: number; seen: string }>();
  #looking: Loop | undefined;

  constructor(platform: Pick<Platform, "db" | "log" | "commitFeed">) {
    this.#platform = platform;
    platform.commitFeed.subscribe(["workflow"], ({ resourceId }) => this.#tell(resourceId));
  }

  /** How many are watched, and whether there is a look every now and then. */
  get size(): { readonly listened: number; readonly followed: number } {
    return { listened: this.#listeners.size, followed: this.#followed.size };
  }

  /** Hears of events of the run. */
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

  /** Hears of its steps too. */
  follow(runId: string, listener: Listener): () => void {
    const unsubscribe = this.subscribe(runId, listener);
    const followed = this.#followed.get(runId) ?? { count: 0, seen: "" };
    followed.count += 1;
    this.#followed.set(runId, followed);
    this.#looking ??= new Loop(
      () => this.#look(),
      (error) => this.#platform.log.error({ err: error }, "runs can't be followed"),
    );
    return () => {
      unsubscribe();
      followed.count -= 1;
      if (followed.count === 0) this.#followed.delete(runId);
      if (this.#followed.size > 0) return;
      void this.#looking?.stop();
      this.#looking = undefined;
    };
  }

  async #look(): Promise<LoopNext> {
    const ids = [...this.#followed.keys()];
    const rows = await this.#platform.db.system<{ id: string; entries: number; status: string }>(
      LOOK,
      [ids],
    );
    for (const { id, entries, status } of rows) {
      const followed = this.#followed.get(id);
      const seen = `${entries} ${status}`;
      if (!followed || followed.seen === seen) continue;
      followed.seen = seen;
      this.#tell(id);
    }
    return LOOK_MS;
  }

  #tell(runId: string): void {
    for (const listener of this.#listeners.get(runId) ?? []) listener();
  }
}

const watches = new WeakMap<Platform, Watch>();

/** The one of this process. */
export function watchOf(platform: Platform): Watch {
  let watch = watches.get(platform);
  if (!watch) watches.set(platform, (watch = new Watch(platform)));
  return watch;
}

/** What is waited for: the end of a run, and no longer than so. */
export interface WaitOptions {
  readonly waitMs: number;
  readonly gone?: AbortSignal | undefined;
}

/** The run once it is over, or as it is when the time is; undefined when there is no such run. */
export async function waitUntilEnded(
  platform: Platform,
  partition: Partition,
  runId: string,
  { waitMs, gone }: WaitOptions,
): Promise<store.StoredRun | undefined> {
  const patience = new Pause();
  let late = false;
  const giveUp = (): void => {
    late = true;
    patience.end();
  };
  // Listens before it looks, so that nothing comes about unnoticed in between.
  const unsubscribe = watchOf(platform).subscribe(runId, () => patience.end());
  const timer = setTimeout(giveUp, waitMs);
  const signals = [platform.shutdown, ...(gone ? [gone] : [])];
  for (const signal of signals) signal.addEventListener("abort", giveUp, { once: true });
  if (signals.some(({ aborted }) => aborted)) giveUp();
  try {
    for (;;) {
      const woken = patience.begin();
      const run = await platform.db.read(partition, (tx) => store.find(tx, runId));
      if (!run || isOver(run.status) || late) return run;
      await woken;
    }
  } finally {
    unsubscribe();
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener("abort", giveUp);
  }
}

/** A sleep from which one can be woken; whoever is to look in between begins it before looking. */
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
