import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { isOver } from "./engine/store.ts";
import * as store from "./store.ts";

type Listener = () => void;

const POLL_INTERVAL_MS = 250;
const READ_STATES = "select id, entries, status from runs where id = any($1::text[])";

/**
 * Notifies listeners of runs, with one subscription to the commit feed for all of them. The end of a
 * step is no event; for listeners who follow steps too, one poll of the database serves all.
 */
export class RunWatch {
  readonly #platform: Pick<Platform, "db" | "log">;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** How many follow each run, and its state at the last poll. */
  readonly #followed = new Map<string, { count: number; state: string }>();
  #pollLoop: Loop | undefined;

  constructor(platform: Pick<Platform, "db" | "log" | "commitFeed">) {
    this.#platform = platform;
    platform.commitFeed.subscribe(["workflow"], ({ resourceId }) => this.#notify(resourceId));
  }

  /** How many runs are listened to, and how many followed. */
  get size(): { readonly listened: number; readonly followed: number } {
    return { listened: this.#listeners.size, followed: this.#followed.size };
  }

  /** Calls the listener for each event of the run. */
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

  /** Calls the listener when a step ends too. */
  follow(runId: string, listener: Listener): () => void {
    const unsubscribe = this.subscribe(runId, listener);
    const followed = this.#followed.get(runId) ?? { count: 0, state: "" };
    followed.count += 1;
    this.#followed.set(runId, followed);
    this.#pollLoop ??= new Loop(
      () => this.#poll(),
      (error) => this.#platform.log.error({ err: error }, "can't stream runs"),
    );
    return () => {
      unsubscribe();
      followed.count -= 1;
      if (followed.count === 0) this.#followed.delete(runId);
      if (this.#followed.size > 0) return;
      void this.#pollLoop?.stop();
      this.#pollLoop = undefined;
    };
  }

  async #poll(): Promise<LoopNext> {
    const ids = [...this.#followed.keys()];
    const rows = await this.#platform.db.system<{ id: string; entries: number; status: string }>(
      READ_STATES,
      [ids],
    );
    for (const { id, entries, status } of rows) {
      const followed = this.#followed.get(id);
      const state = `${entries} ${status}`;
      if (!followed || followed.state === state) continue;
      followed.state = state;
      this.#notify(id);
    }
    return POLL_INTERVAL_MS;
  }

  #notify(runId: string): void {
    for (const listener of this.#listeners.get(runId) ?? []) listener();
  }
}

const runWatches = new WeakMap<Platform, RunWatch>();

/** The one watch of this process. */
export function runWatchOf(platform: Platform): RunWatch {
  let runWatch = runWatches.get(platform);
  if (!runWatch) runWatches.set(platform, (runWatch = new RunWatch(platform)));
  return runWatch;
}

/** How long to wait, and for whom. */
export interface WaitOptions {
  readonly waitMs: number;
  readonly gone?: AbortSignal | undefined;
}

/** Waits until a run is over, or until the time is; undefined when there is no such run. */
export async function waitUntilEnded(
  platform: Platform,
  partition: Partition,
  runId: string,
  options: WaitOptions,
): Promise<store.StoredRun | undefined> {
  return (await awaitRun(platform, partition, runId, options)).run;
}

/** The state of a run after a wait, and what was looked for in it. */
interface AwaitedRun<T> {
  readonly run: store.StoredRun | undefined;
  readonly found?: T | undefined;
}

/** Waits as well until `look` finds something, which it tries whenever a step has ended or waits. */
export async function awaitRun<T>(
  platform: Platform,
  partition: Partition,
  runId: string,
  { waitMs, gone, look }: WaitOptions & { readonly look?: () => Promise<T | undefined> },
): Promise<AwaitedRun<T>> {
  const wakeup = new Wakeup();
  let isLate = false;
  const stopWaiting = (): void => {
    isLate = true;
    wakeup.end();
  };
  // Subscribes before it reads, so that no change goes unnoticed in between.
  const watch = runWatchOf(platform);
  const wake = (): void => wakeup.end();
  const unsubscribe = look ? watch.follow(runId, wake) : watch.subscribe(runId, wake);
  const timer = setTimeout(stopWaiting, waitMs);
  const signals = [platform.shutdown, ...(gone ? [gone] : [])];
  for (const signal of signals) signal.addEventListener("abort", stopWaiting, { once: true });
  if (signals.some(({ aborted }) => aborted)) stopWaiting();
  try {
    for (;;) {
      const woken = wakeup.begin();
      const run = await platform.db.read(partition, (tx) => store.find(tx, runId));
      if (!run || isOver(run.status)) return { run };
      const found = await look?.();
      if (found !== undefined || isLate) return { run, found };
      await woken;
    }
  } finally {
    unsubscribe();
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener("abort", stopWaiting);
  }
}

/** A wait that can be ended from outside. It begins before the state is read, so that no end is missed. */
export class Wakeup {
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

/** True when the time is over before the wake-up. */
export async function timesOut(woken: Promise<void>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), ms);
  try {
    return await Promise.race([woken.then(() => false), promise]);
  } finally {
    clearTimeout(timer);
  }
}
