/**
 * Who is next. Each key (a workspace) has a line of its own, and the key that used the least time lately
 * goes first, so that light use is never behind heavy use. A key never has all lanes, and those that used
 * much lately not even together: a flood of slow expressions leaves a lane for everybody else.
 */
export class FairQueue<Item> {
  readonly #bounds: QueueBounds;
  /** In the order of who was served longest ago. */
  readonly #keys = new Map<string, Line<Item>>();
  #waiting = 0;
  #heavyRunning = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Says no when the line, or the queue as a whole, is full. */
  add(key: string, item: Item): boolean {
    const line = this.#keys.get(key) ?? { items: [], running: 0, usedMs: 0, asOfMs: 0 };
    const { waitingMax, waitingPerKeyMax } = this.#bounds;
    if (this.#waiting >= waitingMax || line.items.length >= waitingPerKeyMax) return false;
    line.items.push(item);
    this.#keys.set(key, line);
    this.#waiting += 1;
    return true;
  }

  /** The next that may run, if there is one. Whoever takes it says when it is done. */
  take(nowMs: number): Turn<Item> | undefined {
    const free = Math.max(1, this.#bounds.lanes - 1);
    let next:
      | { readonly key: string; readonly line: Line<Item>; readonly usedMs: number }
      | undefined;
    for (const [key, line] of this.#keys) {
      const usedMs = usedLately(line, nowMs);
      if (line.items.length === 0 && line.running === 0 && usedMs === 0) this.#keys.delete(key);
      if (line.items.length === 0 || line.running >= free) continue;
      if (usedMs > HEAVY_MS && this.#heavyRunning >= free) continue;
      if (!next || usedMs < next.usedMs) next = { key, line, usedMs };
    }
    const item = next?.line.items.shift();
    if (!next || item === undefined) return undefined;
    const { key, line, usedMs } = next;
    const isHeavy = usedMs > HEAVY_MS;
    line.running += 1;
    this.#waiting -= 1;
    if (isHeavy) this.#heavyRunning += 1;
    this.#keys.delete(key);
    this.#keys.set(key, line);
    return { item, done: (tookMs, atMs) => this.#done(line, { isHeavy, tookMs, atMs }) };
  }

  /** Takes back what has not begun. */
  remove(key: string, item: Item): void {
    const line = this.#keys.get(key);
    const at = line?.items.indexOf(item) ?? -1;
    if (!line || at === -1) return;
    line.items.splice(at, 1);
    this.#waiting -= 1;
  }

  /** Empties the queue. */
  clear(): Item[] {
    const items = [...this.#keys.values()].flatMap((line) => line.items);
    this.#keys.clear();
    this.#waiting = 0;
    return items;
  }

  #done(line: Line<Item>, end: { isHeavy: boolean; tookMs: number; atMs: number }): void {
    line.running -= 1;
    if (end.isHeavy) this.#heavyRunning -= 1;
    line.usedMs = Math.min(USED_MAX_MS, usedLately(line, end.atMs) + end.tookMs);
    line.asOfMs = end.atMs;
  }
}

export interface QueueBounds {
  /** How many run at a time. */
  readonly lanes: number;
  readonly waitingMax: number;
  readonly waitingPerKeyMax: number;
}

export interface Turn<Item> {
  readonly item: Item;
  readonly done: (tookMs: number, atMs: number) => void;
}

interface Line<Item> {
  readonly items: Item[];
  running: number;
  /** The time it used, less a tenth of the time that passed. */
  usedMs: number;
  asOfMs: number;
}

const HEAVY_MS = 250;
const USED_MAX_MS = 10_000;
const FORGIVEN_PER_MS = 0.1;

function usedLately({ usedMs, asOfMs }: Line<unknown>, nowMs: number): number {
  return Math.max(0, usedMs - (nowMs - asOfMs) * FORGIVEN_PER_MS);
}
