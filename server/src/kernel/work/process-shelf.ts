/** What a pool of processes has one of for each. */
interface Kept {
  readonly isAlive: boolean;
  close(): Promise<void>;
}

/**
 * Keeps idle processes of pools that were closed for those that come next: where one program opens many kernels, one
 * after the other, as tests do, each of them would start its own. What ran in one before is nothing to the next work: it
 * may be that of somebody else in any case.
 */
export class ProcessShelf<T extends Kept> {
  readonly #kept: T[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  take(): T | undefined {
    for (let one = this.#kept.pop(); one; one = this.#kept.pop()) if (one.isAlive) return one;
    return undefined;
  }

  /** Keeps one that is idle, or ends it where there are enough. */
  async put(one: T): Promise<void> {
    if (one.isAlive && this.#kept.length < this.#max) this.#kept.push(one);
    else await one.close();
  }
}
