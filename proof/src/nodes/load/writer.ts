import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../client.ts";
import type { Furniture } from "../furnish.ts";
import type { Random } from "../random.ts";

/** What a writer has at hand. */
export interface Desk {
  readonly client: Client;
  readonly furniture: Furniture;
  /** Its own among all of its kind, from 0. */
  readonly n: number;
  /** The same with the kind in front. */
  readonly name: string;
}

/** Somebody who does a few things to one thing, one after the other. */
export interface Writer {
  readonly kind: string;
  readonly write: (desk: Desk) => Promise<void>;
}

export interface Load {
  readonly client: Client;
  readonly furniture: Furniture;
  readonly random: Random;
  /** How many of each writer are at work at once. */
  readonly hands: number;
  /** The longest that one of them rests before the next thing. */
  readonly restMaxMs: number;
  readonly isOver: () => boolean;
}

/** Has all writers at work until it is over; each thing that was begun is done. */
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
