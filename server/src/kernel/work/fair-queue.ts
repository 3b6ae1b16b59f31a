/**
 * A queue that is fair between keys (workspaces). Each key has a separate queue, and the key with the least recent
 * usage is served first, so that light users do not wait for heavy ones. A key never gets the whole concurrency, and
 * all heavy keys together do not either: slow work always leaves one slot for others.
 *
 * An item that only waits can pause: it does not count as running, but stays started. A key may start at most as many
 * items as it leaves places free, so that the next key has room.
 */
export class FairQueue<Item> {
  readonly #limits: QueueLimits;
  /** The least recently served key first. */
  readonly #keys = new Map<string, KeyQueue<Item>>();
  #waiting = 0;
  #heavyRunning = 0;
  #startedCount = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Returns false if the key's queue or the whole queue is full. */
  add(key: string, item: Item): boolean {
    const queue = this.#keys.get(key) ?? newKeyQueue<Item>();
    const { waitingMax, waitingPerKeyMax } = this.#limits;
    if (this.#waiting >= waitingMax || queue.items.length >= waitingPerKeyMax) return false;
    queue.items.push(item);
    this.#keys.set(key, queue);
    this.#waiting += 1;
    return true;
  }

  /** Takes the next item that may run, if any. Its ticket must be completed at the end. */
  take(nowMs: number): QueueTicket<Item> | undefined {
    let next:
      | { readonly key: string; readonly queue: KeyQueue<Item>; readonly usedMs: number }
      | undefined;
    for (const [key, queue] of this.#keys) {
      const usedMs = recentUsageMs(queue, nowMs);
      if (queue.items.length === 0 && queue.started === 0 && usedMs === 0) this.#keys.delete(key);
      if (!this.#mayRun(queue, usedMs)) continue;
      if (!next || usedMs < next.usedMs) next = { key, queue, usedMs };
    }
    const item = next?.queue.items.shift();
    if (!next || item === undefined) return undefined;
    const { key, queue, usedMs } = next;
    this.#waiting -= 1;
    this.#keys.delete(key);
    this.#keys.set(key, queue);
    return this.#start(queue, item, usedMs > HEAVY_MS);
  }

  /** Removes an item that has not started. Returns false if it has. */
  remove(key: string, item: Item): boolean {
    const queue = this.#keys.get(key);
    const at = queue?.items.indexOf(item) ?? -1;
    if (!queue || at === -1) return false;
    queue.items.splice(at, 1);
    this.#waiting -= 1;
    return true;
  }

  /** The items of a key that have not started, in order. */
  waitingOf(key: string): readonly Item[] {
    return this.#keys.get(key)?.items ?? [];
  }

  /** Empties the queue and returns its items. */
  clear(): Item[] {
    const items = [...this.#keys.values()].flatMap((queue) => queue.items);
    this.#keys.clear();
    this.#waiting = 0;
    return items;
  }

  #mayRun(queue: KeyQueue<Item>, usedMs: number): boolean {
    const { concurrency, startedMax, perKeyMax } = this.#limits;
    const share = Math.max(1, concurrency - 1);
    const own = Math.min(share, perKeyMax ?? share);
    if (queue.items.length === 0 || queue.running >= own) return false;
    if (startedMax !== undefined && queue.started >= startedMax - this.#startedCount) return false;
    return usedMs <= HEAVY_MS || this.#heavyRunning < share;
  }

  #start(queue: KeyQueue<Item>, item: Item, isHeavy: boolean): QueueTicket<Item> {
    let runs = false;
    const run = (runsNow: boolean): void => {
      if (runs === runsNow) return;
      runs = runsNow;
      queue.running += runs ? 1 : -1;
      if (isHeavy) this.#heavyRunning += runs ? 1 : -1;
    };
    run(true);
    queue.started += 1;
    this.#startedCount += 1;
    return {
      item,
      pause: () => run(false),
      resume: () => run(true),
      done: (tookMs, atMs) => {
        run(false);
        queue.started -= 1;
        this.#startedCount -= 1;
        queue.usedMs = Math.min(USED_MAX_MS, recentUsageMs(queue, atMs) + tookMs);
        queue.asOfMs = atMs;
      },
    };
  }
}

export interface QueueLimits {
  /** The maximum number of running items. */
  readonly concurrency: number;
  /** The maximum number of running items per key. Default: all but one. */
  readonly perKeyMax?: number;
  /** The maximum number of started items, including paused ones. */
  readonly startedMax?: number;
  readonly waitingMax: number;
  readonly waitingPerKeyMax: number;
}

export interface QueueTicket<Item> {
  readonly item: Item;
  /** Lets other items run until resumed. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly done: (tookMs: number, atMs: number) => void;
}

interface KeyQueue<Item> {
  readonly items: Item[];
  running: number;
  started: number;
  /** The time used by the key, minus a tenth of the time passed since. */
  usedMs: number;
  asOfMs: number;
}

const HEAVY_MS = 250;
const USED_MAX_MS = 10_000;
const DECAY_PER_MS = 0.1;

function newKeyQueue<Item>(): KeyQueue<Item> {
  return { items: [], running: 0, started: 0, usedMs: 0, asOfMs: 0 };
}

function recentUsageMs({ usedMs, asOfMs }: KeyQueue<unknown>, nowMs: number): number {
  return Math.max(0, usedMs - (nowMs - asOfMs) * DECAY_PER_MS);
}
