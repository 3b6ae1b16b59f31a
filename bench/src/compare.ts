import { setTimeout as pause } from "node:timers/promises";
import type { Effort, Measured } from "./figure.ts";
import { type Load, load, type Target } from "./load.ts";
import { spreadOf } from "./statistics.ts";

/** Long enough for the JIT compiler: about ten seconds until a server reaches its final speed. */
export const WARM_UP_MS = 10_000;
/** A pause, so that background work of the database from one round does not affect the next. */
const BREATH_MS = 250;

export interface Contest {
  readonly ours: Target;
  readonly reference: Target;
  readonly ratioAtLeast: number;
}

/**
 * Warms up both sides, then alternates rounds, so that other load on the machine affects both. The ratio of
 * consecutive rounds is more reliable than the rates.
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

/** Several consecutive comparisons in one line of the table, each with its name in the notes. */
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

/** Compares alternating rounds. */
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
