import { seeded } from "../../../server/src/kernel/testing/random.ts";

/** Chance that repeats itself: everything random in a run comes from one seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
    // Seeds that are neighbours begin alike.
    for (let skipped = 0; skipped < 8; skipped += 1) this.#next();
  }

  /** From 0 to 1, without 1. */
  unit(): number {
    return this.#next();
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  /** True so often: 0 never, 1 always. */
  chance(share: number): boolean {
    return this.#next() < share;
  }

  /** One of them. There must be one. */
  pick<T>(of: readonly T[]): T {
    const one = of[Math.floor(this.#next() * of.length)];
    if (one === undefined && of.length === 0) throw new Error("There is nothing to pick from.");
    // Within the list, so it is what the list holds, which may be undefined itself.
    return one as T;
  }

  /** One of them, or undefined when there is none. */
  pickAny<T>(of: readonly T[]): T | undefined {
    return of.length === 0 ? undefined : this.pick(of);
  }

  /** One of these by its weight. */
  weighted<T>(of: readonly (readonly [weight: number, value: T])[]): T {
    const total = of.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#next() * total;
    for (const [weight, value] of of) {
      left -= weight;
      if (left < 0) return value;
    }
    return this.pick(of)[1];
  }
}
