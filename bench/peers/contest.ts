import { setTimeout as pause } from "node:timers/promises";
import { type Load, load } from "../src/load.ts";
import { median } from "../src/statistics.ts";
import type { Work } from "./peer.ts";

/** The duration of a measurement. */
export interface Effort {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}

/** The medians of one side's rounds. */
export interface Side {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One line of the table. */
export interface Row {
  readonly work: string;
  readonly peer: Side;
  readonly ours: Side;
  /** The median ratio of consecutive rounds. */
  readonly timesAsFast: number;
}

/** A pause, so that background work of the database from one round does not affect the next. */
const BREATH_MS = 250;

/** Warms up both sides, then alternates rounds, so that other load on the machine affects both. */
export async function contest(work: Work, effort: Effort): Promise<Row> {
  const { rounds, roundMs, warmUpMs } = effort;
  const peer: Load[] = [];
  const ours: Load[] = [];
  const warmUp = await load(work.peer, { forMs: warmUpMs });
  await load(work.ours, { forMs: warmUpMs });
  for (let round = 0; round < rounds; round += 1) {
    await pause(BREATH_MS);
    peer.push(await load(work.peer, { forMs: roundMs }));
    await pause(BREATH_MS);
    ours.push(await load(work.ours, { forMs: roundMs }));
  }
  await work.check?.([warmUp, ...peer].reduce((sum, { requests }) => sum + requests, 0));
  const ratios = ours.map(({ perSecond }, at) => perSecond / (peer[at]?.perSecond ?? Number.NaN));
  return {
    work: work.name,
    peer: sideOf(peer),
    ours: sideOf(ours),
    timesAsFast: median(ratios),
  };
}

function sideOf(rounds: readonly Load[]): Side {
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  };
}
