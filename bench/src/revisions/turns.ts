import type { Cpu } from "./cpu.ts";
import type { ProductSide } from "./product-side.ts";
import type { Repeat } from "./works.ts";

/** A value for each revision. */
export type Pair<T> = readonly [before: T, after: T];

/** The cost of one side's part of a turn, per request. */
export interface Round {
  /** In µs. */
  readonly cpu: Cpu;
  readonly walBytes: number;
  /** Elapsed time from the start of the turn to the side's last response. */
  readonly elapsedUs: number;
}

/** The same requests on both sides. */
export type Turn = Pair<Round>;

/** One side and its requests. */
export interface Player {
  readonly side: ProductSide;
  readonly repeat: Repeat;
}

/** Whether the side before starts first: A B B A. */
const BEFORE_FIRST = [true, false, false, true];

/**
 * Both sides process the same requests at the same time. On a busy machine, the CPU time of a request varies by a
 * factor of two within milliseconds, depending on caches and the other core. Rounds in sequence, even short ones, fall
 * into different conditions: their ratios vary up to twice as much as those of simultaneous rounds.
 */
export async function takeTurn(
  players: Pair<Player>,
  { requests, turn }: { readonly requests: number; readonly turn: number },
): Promise<Turn> {
  const order = BEFORE_FIRST[turn % BEFORE_FIRST.length] ? [0, 1] : [1, 0];
  const begun = [await players[0].side.begin(), await players[1].side.begin()] as const;
  const elapsedMs = [0, 0];
  const startedAt = performance.now();
  await Promise.all(
    order.map(async (at) => {
      await players[at === 0 ? 0 : 1].repeat(requests);
      elapsedMs[at] = performance.now() - startedAt;
    }),
  );
  const end = async (at: 0 | 1): Promise<Round> => {
    const { cpu, walBytes } = await begun[at]();
    return {
      cpu: { node: (cpu.node * 1e6) / requests, postgres: (cpu.postgres * 1e6) / requests },
      walBytes: walBytes / requests,
      elapsedUs: ((elapsedMs[at] ?? 0) * 1000) / requests,
    };
  };
  return [await end(0), await end(1)];
}
