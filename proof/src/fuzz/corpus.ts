import { globSync } from "node:fs";
import { join } from "node:path";
import type { Sample } from "../../../server/src/kernel/testing/samples.ts";
import type { Ask } from "../../../server/src/kernel/testing/world.ts";
import type { Dice } from "./dice.ts";
import type { Country } from "./world.ts";

/** An input with which an operation succeeds or has succeeded. */
export interface Input {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The required caller. Default: anyone with the permission. */
  readonly by?: Ask | undefined;
}

const SERVER = join(import.meta.dirname, "../../../server/src");
const KEPT_MAX = 5;
const CONNECTIONS = 6;

/**
 * Successful calls from the samples of each domain. Random input alone would rarely pass the validation of an
 * operation, so inputs are derived from these.
 */
export class Corpus {
  readonly #samples: ReadonlyMap<string, readonly Sample[]>;
  readonly #inputs = new Map<string, Input[]>();

  private constructor(samples: readonly Sample[]) {
    this.#samples = Map.groupBy(samples, ({ operation }) => operation);
  }

  static async open(): Promise<Corpus> {
    const files = globSync("domains/**/samples.ts", { cwd: SERVER });
    const loaded = await Promise.all(
      files.map(async (file) => {
        // The files of the glob have this export.
        const module = (await import(join(SERVER, file))) as { samples: readonly Sample[] };
        return module.samples;
      }),
    );
    return new Corpus(loaded.flat());
  }

  /** Runs one sample's preparations and returns its input. Undefined if they failed. */
  async arrange(
    operation: string,
    { owner, country, dice }: { owner: Ask; country: Country; dice: Dice },
    index?: number,
  ): Promise<Input | undefined> {
    const samples = this.#samples.get(operation) ?? [];
    const sample = index === undefined ? dice.pickAny(samples) : samples[index];
    if (!sample) return undefined;
    const arranged = await sample.arrange(owner, country.world).catch(() => undefined);
    if (!arranged) return undefined;
    const { params = {}, query = {}, body, by } = arranged;
    const input = { params, query, body, by };
    let kept = this.#inputs.get(operation);
    if (!kept) this.#inputs.set(operation, (kept = []));
    kept.push(input);
    if (kept.length > KEPT_MAX) kept.shift();
    return input;
  }

  /** An earlier prepared input, which may have been used. */
  recall(operation: string, dice: Dice): Input | undefined {
    return dice.pickAny(this.#inputs.get(operation) ?? []);
  }

  /** The number of samples of an operation. */
  count(operation: string): number {
    return this.#samples.get(operation)?.length ?? 0;
  }

  /** Drops all prepared inputs. */
  forget(): void {
    this.#inputs.clear();
  }
}

/** Runs a function for each item, a few concurrently. */
export async function forEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  hands = CONNECTIONS,
): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: hands }, worker));
}
