/** What the commands of the benchmarks have in common. */

/** A number that was given on the command line. */
export function within(text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new Error(`${text} is not a whole number from 1 to ${most}.`);
  }
  return value;
}

export function explain(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Says what is wrong with how it was called, and ends. */
export function misused(error: unknown, usage: string): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exit(1);
}

/** An end from outside: it, too, must leave no process and no folder behind. */
export class Ending {
  readonly #came = Promise.withResolvers<never>();
  readonly #controller = new AbortController();

  constructor() {
    this.#came.promise.catch(() => undefined);
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        this.#controller.abort();
        this.#came.reject(new Error(`It was ended by ${signal}.`));
      });
    }
  }

  get isCome(): boolean {
    return this.signal.aborted;
  }

  /** For work that ends itself between two steps. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The work, or the end when that comes first; then nobody waits for how the work fails. */
  orElse<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    return Promise.race([work, this.#came.promise]);
  }
}
