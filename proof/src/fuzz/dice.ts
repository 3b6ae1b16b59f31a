import { seeded } from "../../../server/src/kernel/testing/random.ts";

/** Reproducible random values: everything random in a run is derived from one seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
    // Consecutive seeds start with similar values.
    for (let skipped = 0; skipped < 8; skipped += 1) this.#next();
  }

  /** From 0 to 1, exclusive. */
  unit(): number {
    return this.#next();
  }

  /** An integer from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  /** True with this probability: 0 never, 1 always. */
  chance(share: number): boolean {
    return this.#next() < share;
  }

  /** A random element of a non-empty list. */
  pick<T>(of: readonly T[]): T {
    const one = of[Math.floor(this.#next() * of.length)];
    if (one === undefined && of.length === 0) throw new Error("There is nothing to pick from.");
    // The index is in range, so the element is valid, even if it is undefined.
    return one as T;
  }

  /** A random element, or undefined for an empty list. */
  pickAny<T>(of: readonly T[]): T | undefined {
    return of.length === 0 ? undefined : this.pick(of);
  }

  /** A random element by weight. */
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
