import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../client.ts";
import type { Furniture } from "../furnish.ts";
import type { Random } from "../random.ts";

/** The context of a writer. */
export interface Desk {
  readonly client: Client;
  readonly furniture: Furniture;
  /** Its index among all of its kind, from 0. */
  readonly n: number;
  /** The index with the kind as a prefix. */
  readonly name: string;
}

/** Performs a sequence of operations on one resource. */
export interface Writer {
  readonly kind: string;
  readonly write: (desk: Desk) => Promise<void>;
}

export interface Load {
  readonly client: Client;
  readonly furniture: Furniture;
  readonly random: Random;
  /** The number of concurrent writers of each kind. */
  readonly hands: number;
  /** The maximum pause before the next resource. */
  readonly restMaxMs: number;
  readonly isOver: () => boolean;
}

/** Runs all writers until it is over. All started sequences are completed. */
export async function write(writers: readonly Writer[], load: Load): Promise<void> {
  const { client, furniture, random, hands, restMaxMs, isOver } = load;
  await Promise.all(
    writers.map(async (writer) => {
      let next = 0;
      const work = async (): Promise<void> => {
        while (!isOver()) {
          const n = next++;
          await writer.write({ client, furniture, n, name: `${writer.kind}-${n}` });
          await pause(random.below(restMaxMs + 1));
        }
      };
      await Promise.all(Array.from({ length: hands }, work));
    }),
  );
}
