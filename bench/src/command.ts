/** Functions shared by the benchmark commands. */

/** Parses a number of the command line. */
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

/** Reports wrong arguments with the usage, and exits. */
export function misused(error: unknown, usage: string): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exit(1);
}

/** An interruption. It must also leave no processes or folders. */
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

  /** The work, or the interruption if that comes first. Failures of interrupted work are ignored. */
  orElse<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    return Promise.race([work, this.#came.promise]);
  }
}
