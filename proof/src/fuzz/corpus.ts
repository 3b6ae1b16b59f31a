import { globSync } from "node:fs";
import { join } from "node:path";
import type { Sample } from "../../../server/src/kernel/testing/samples.ts";
import type { Ask } from "../../../server/src/kernel/testing/world.ts";
import type { Dice } from "./dice.ts";
import type { Country } from "./world.ts";

/** What to send to an operation so that it goes well, or went well once. */
export interface Input {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Who has to ask, when it is not just anybody with the permission. */
  readonly by?: Ask | undefined;
}

const SERVER = join(import.meta.dirname, "../../../server/src");
const KEPT_MAX = 5;
const CONNECTIONS = 6;

/**
 * Calls that succeed, from the samples that stand beside each domain. Random input alone would never get past
 * the door of most operations; these are what it is made from.
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
        // The files that the glob names export this.
        const module = (await import(join(SERVER, file))) as { samples: readonly Sample[] };
        return module.samples;
      }),
    );
    return new Corpus(loaded.flat());
  }

  /** One sample's preparations, and what it then wants to send. Undefined when they did not succeed. */
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

  /** Something that was arranged earlier; by now it may be used up. */
  recall(operation: string, dice: Dice): Input | undefined {
    return dice.pickAny(this.#inputs.get(operation) ?? []);
  }

  /** How many samples an operation has. */
  count(operation: string): number {
    return this.#samples.get(operation)?.length ?? 0;
  }

  /** Lets go of all that was arranged. */
  forget(): void {
    this.#inputs.clear();
  }
}

/** Does something for each of them, a few at a time. */
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
