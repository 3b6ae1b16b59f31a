import { setTimeout as pause } from "node:timers/promises";
import type { Effort, Measured } from "./figure.ts";
import { type Load, load, type Target } from "./load.ts";
import { spreadOf } from "./statistics.ts";

/** A server that is asked for months is compiled as well as it will be; that takes it some ten seconds. */
export const WARM_UP_MS = 10_000;
/** What a round leaves to the database's background workers should not fall into the next one. */
const BREATH_MS = 250;

export interface Contest {
  readonly ours: Target;
  readonly reference: Target;
  readonly ratioAtLeast: number;
}

/**
 * Warms both up, then lets them take turns: whatever else the machine does falls on both, and the
 * ratio of neighbouring rounds says more than either rate.
 */
export async function compare(contest: Contest, { rounds, roundMs }: Effort): Promise<Measured> {
  const ours: Load[] = [];
  const reference: Load[] = [];
  await load(contest.ours, { forMs: WARM_UP_MS });
  await load(contest.reference, { forMs: WARM_UP_MS });
  for (let round = 0; round < rounds; round += 1) {
    await pause(BREATH_MS);
    ours.push(await load(contest.ours, { forMs: roundMs }));
    await pause(BREATH_MS);
    reference.push(await load(contest.reference, { forMs: roundMs }));
  }
  const { values, ...judged } = judge(ours, reference, contest.ratioAtLeast);
  return {
    ...judged,
    notes: [`latency: ours ${latency(ours)}, reference ${latency(reference)}`],
    values: { ...values, ours, reference },
  };
}

/** Several contests in one line of the table, one after the other, each with its name in the notes. */
export function together(parts: Readonly<Record<string, Measured>>): Measured {
  const all = Object.values(parts);
  const each = (of: (one: Measured) => string | undefined): string => all.map(of).join(", ");
  return {
    ours: each(({ ours }) => ours),
    reference: each(({ reference }) => reference),
    ratio: each(({ ratio }) => ratio),
    target: [...new Set(all.map(({ target }) => target))].join(", "),
    reached: all.every(({ reached }) => reached),
    notes: Object.entries(parts).flatMap(([name, { notes }]) =>
      notes.map((note) => `${name}: ${note}`),
    ),
    values: Object.fromEntries(Object.entries(parts).map(([name, { values }]) => [name, values])),
  };
}

interface Rate {
  readonly perSecond: number;
}

/** Compares rounds that took turns. */
export function judge(
  ours: readonly Rate[],
  reference: readonly Rate[],
  ratioAtLeast: number,
): Omit<Measured, "notes"> {
  const ratio = spreadOf(ours.map((mine, at) => mine.perSecond / (reference[at]?.perSecond ?? 0)));
  return {
    ours: rate(ours),
    reference: rate(reference),
    ratio: `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
    target: `≥ ${ratioAtLeast}`,
    reached: ratio.median >= ratioAtLeast,
    values: { ratio },
  };
}

function rate(rounds: readonly Rate[]): string {
  return `${Math.round(spreadOf(rounds.map(({ perSecond }) => perSecond)).median)}/s`;
}

function latency(rounds: readonly Load[]): string {
  const p50 = spreadOf(rounds.map(({ p50Ms }) => p50Ms)).median;
  const p99 = spreadOf(rounds.map(({ p99Ms }) => p99Ms)).median;
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
}
