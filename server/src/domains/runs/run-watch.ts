import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { isOver } from "./engine/store.ts";
import * as store from "./store.ts";

type Listener = () => void;

const POLL_INTERVAL_MS = 250;
const READ_STATES = "select id, entries, status from runs where id = any($1::text[])";

/**
 * Notifies listeners of runs through one subscription to the commit feed. The end of a step is not an event, so
 * listeners that follow steps share one poll of the database.
 */
export class RunWatch {
  readonly #platform: Pick<Platform, "db" | "log">;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** The number of followers of each run, and its state at the last poll. */
  readonly #followed = new Map<string, { count: number; state: string }>();
  #pollLoop: Loop | undefined;

  constructor(platform: Pick<Platform, "db" | "log" | "commitFeed">) {
    this.#platform = platform;
    platform.commitFeed.subscribe(["workflow"], ({ resourceId }) => this.#notify(resourceId));
  }

  /** The numbers of runs with listeners and with followers. */
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

  /** Calls the listener also when a step ends. */
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

/** The instance of this process. */
export function runWatchOf(platform: Platform): RunWatch {
  let runWatch = runWatches.get(platform);
  if (!runWatch) runWatches.set(platform, (runWatch = new RunWatch(platform)));
  return runWatch;
}

/** The maximum wait, and the waiting caller. */
export interface WaitOptions {
  readonly waitMs: number;
  readonly gone?: AbortSignal | undefined;
}

/** Waits until a run ends or the timeout. Returns undefined if the run was not found. */
export async function waitUntilEnded(
  platform: Platform,
  partition: Partition,
  runId: string,
  options: WaitOptions,
): Promise<store.StoredRun | undefined> {
  return (await awaitRun(platform, partition, runId, options)).run;
}

/** The run after the wait, with the `look` result. */
interface AwaitedRun<T> {
  readonly run: store.StoredRun | undefined;
  readonly found?: T | undefined;
}

/** Also ends the wait when `look` finds something. It is called whenever a step ends or starts to wait. */
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
  // Subscribes before reading, so that no change is missed in between.
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

/** A wait that can be ended from outside. Create it before reading the state, so that no change is missed. */
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

/** True if the time is up before the wake-up. */
export async function timesOut(woken: Promise<void>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), ms);
  try {
    return await Promise.race([woken.then(() => false), promise]);
  } finally {
    clearTimeout(timer);
  }
}
