/**
 * Keys pressed before their screen was loaded. A few are kept for a short time.
 */

const HELD_MAX = 8;
const HELD_MS = 5_000;

interface Press {
  readonly timeStamp: number;
}

export class HeldKeys<Event extends Press> {
  readonly #run: (event: Event, keys: string) => boolean;
  #presses: readonly { readonly event: Event; readonly key: string }[] = [];

  /** `run` executes the action of a shortcut; it returns false for unknown shortcuts. */
  constructor(run: (event: Event, keys: string) => boolean) {
    this.#run = run;
  }

  get isEmpty(): boolean {
    return this.#presses.length === 0;
  }

  add(event: Event, key: string): void {
    this.#presses = [...this.#presses, { event, key }].slice(-HELD_MAX);
  }

  drop(): void {
    this.#presses = [];
  }

  /**
   * Runs the first held shortcut, or the first two if they are one sequence. Drops expired ones and, once loading
   * has finished, unknown ones.
   */
  release(nowMs: number, isSettled = false): void {
    const fresh = this.#presses.filter(({ event }) => nowMs - event.timeStamp < HELD_MS);
    this.#presses = fresh;
    const [first, second] = fresh;
    if (!first) return;
    const isBoth = second !== undefined && this.#run(first.event, `${first.key} ${second.key}`);
    const used = isBoth ? 2 : this.#run(first.event, first.key) || isSettled ? 1 : 0;
    // The action may have dropped held shortcuts, and new ones may have been added.
    const spent = fresh.slice(0, used);
    this.#presses = this.#presses.filter((press) => !spent.includes(press));
  }
}
