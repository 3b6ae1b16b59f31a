/**
 * Who is next. Each key (a workspace) has a line of its own, and the key that used the least time lately
 * goes first, so that light use is never behind heavy use. A key never has all lanes, and those that used
 * much lately not even together: a flood of slow work leaves a lane for everybody else.
 *
 * What only waits for others may leave its lane for that time, though it keeps its place. Of the places a
 * key takes no more than it leaves free, so that there is one for whoever comes next.
 */
export class FairQueue<Item> {
  readonly #bounds: QueueBounds;
  /** In the order of who was served longest ago. */
  readonly #keys = new Map<string, Line<Item>>();
  #waiting = 0;
  #heavyRunning = 0;
  #placesTaken = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Says no when the line, or the queue as a whole, is full. */
  add(key: string, item: Item): boolean {
    const line = this.#keys.get(key) ?? newLine<Item>();
    const { waitingMax, waitingPerKeyMax } = this.#bounds;
    if (this.#waiting >= waitingMax || line.items.length >= waitingPerKeyMax) return false;
    line.items.push(item);
    this.#keys.set(key, line);
    this.#waiting += 1;
    return true;
  }

  /** The next that may run, if there is one. Whoever takes it says when it is done. */
  take(nowMs: number): QueueTicket<Item> | undefined {
    let next:
      | { readonly key: string; readonly line: Line<Item>; readonly usedMs: number }
      | undefined;
    for (const [key, line] of this.#keys) {
      const usedMs = usedLately(line, nowMs);
      if (line.items.length === 0 && line.places === 0 && usedMs === 0) this.#keys.delete(key);
      if (!this.#mayRun(line, usedMs)) continue;
      if (!next || usedMs < next.usedMs) next = { key, line, usedMs };
    }
    const item = next?.line.items.shift();
    if (!next || item === undefined) return undefined;
    const { key, line, usedMs } = next;
    this.#waiting -= 1;
    this.#keys.delete(key);
    this.#keys.set(key, line);
    return this.#begin(line, item, usedMs > HEAVY_MS);
  }

  /** Takes back what has not begun; false when it has. */
  remove(key: string, item: Item): boolean {
    const line = this.#keys.get(key);
    const at = line?.items.indexOf(item) ?? -1;
    if (!line || at === -1) return false;
    line.items.splice(at, 1);
    this.#waiting -= 1;
    return true;
  }

  /** Empties the queue. */
  clear(): Item[] {
    const items = [...this.#keys.values()].flatMap((line) => line.items);
    this.#keys.clear();
    this.#waiting = 0;
    return items;
  }

  #mayRun(line: Line<Item>, usedMs: number): boolean {
    const { lanes, places = Number.POSITIVE_INFINITY } = this.#bounds;
    const free = Math.max(1, lanes - 1);
    if (line.items.length === 0 || line.running >= free) return false;
    if (line.places >= places - this.#placesTaken) return false;
    return usedMs <= HEAVY_MS || this.#heavyRunning < free;
  }

  #begin(line: Line<Item>, item: Item, isHeavy: boolean): QueueTicket<Item> {
    let runs = false;
    const run = (runsNow: boolean): void => {
      if (runs === runsNow) return;
      runs = runsNow;
      line.running += runs ? 1 : -1;
      if (isHeavy) this.#heavyRunning += runs ? 1 : -1;
    };
    run(true);
    line.places += 1;
    this.#placesTaken += 1;
    return {
      item,
      pause: () => run(false),
      resume: () => run(true),
      done: (tookMs, atMs) => {
        run(false);
        line.places -= 1;
        this.#placesTaken -= 1;
        line.usedMs = Math.min(USED_MAX_MS, usedLately(line, atMs) + tookMs);
        line.asOfMs = atMs;
      },
    };
  }
}

export interface QueueBounds {
  /** How many run at a time. */
  readonly lanes: number;
  /** How many are under way at a time, with those that left their lane. */
  readonly places?: number;
  readonly waitingMax: number;
  readonly waitingPerKeyMax: number;
}

export interface QueueTicket<Item> {
  readonly item: Item;
  /** Leaves the lane to others, until it is resumed. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly done: (tookMs: number, atMs: number) => void;
}

interface Line<Item> {
  readonly items: Item[];
  running: number;
  places: number;
  /** The time it used, less a tenth of the time that passed. */
  usedMs: number;
  asOfMs: number;
}

const HEAVY_MS = 250;
const USED_MAX_MS = 10_000;
const FORGIVEN_PER_MS = 0.1;

function newLine<Item>(): Line<Item> {
  return { items: [], running: 0, places: 0, usedMs: 0, asOfMs: 0 };
}

function usedLately({ usedMs, asOfMs }: Line<unknown>, nowMs: number): number {
  return Math.max(0, usedMs - (nowMs - asOfMs) * FORGIVEN_PER_MS);
}
