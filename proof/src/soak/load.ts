import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "../../../bench/src/statistics.ts";
import type { Random } from "../nodes/random.ts";
import type { Api } from "./api.ts";
import type { Furniture } from "./furniture.ts";
import type { Deed } from "./mix/deed.ts";
import { MIX } from "./mix/mix.ts";

const TICK_MS = 10;
/** With more running requests, the product cannot keep up. Further due requests are skipped and counted. */
const UNDER_WAY_MAX = 300;
const FAULTS_KEPT_MAX = 20;

/** The results of the load. */
export interface Outcome {
  sent: number;
  answered: number;
  /** Skipped requests, because too many were unanswered. */
  leftOut: number;
  readonly byDeed: Map<string, number>;
  /** Unexpected responses. */
  readonly faults: string[];
  faulty: number;
  /** The send time of each as a share of the whole time, and its duration. */
  readonly latencies: { readonly share: number; readonly ms: number }[];
}

/** Sends at a fixed rate, independent of response times. */
export async function load(
  api: Api,
  things: Furniture,
  plan: {
    readonly perSecond: number;
    readonly forMs: number;
    readonly random: Random;
    readonly signal: AbortSignal;
  },
): Promise<Outcome> {
  const outcome: Outcome = {
    sent: 0,
    answered: 0,
    leftOut: 0,
    byDeed: new Map(),
    faults: [],
    faulty: 0,
    latencies: [],
  };
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  let due = 0;
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= plan.forMs || plan.signal.aborted) break;
    for (const until = (elapsedMs / 1_000) * plan.perSecond; due < until; due += 1) {
      if (underWay.size >= UNDER_WAY_MAX) {
        outcome.leftOut += 1;
        continue;
      }
      const one = send(pick(plan.random), due, elapsedMs / plan.forMs).finally(() =>
        underWay.delete(one),
      );
      underWay.add(one);
    }
    await pause(TICK_MS);
  }
  await Promise.all(underWay);
  return outcome;

  async function send(deed: Deed, n: number, share: number): Promise<void> {
    outcome.sent += 1;
    outcome.byDeed.set(deed.name, (outcome.byDeed.get(deed.name) ?? 0) + 1);
    const sentAt = performance.now();
    const reply = await deed.act(api, things, n).catch((error: unknown) => ({
      status: 0,
      body: String(error),
    }));
    const ms = performance.now() - sentAt;
    outcome.answered += 1;
    if (!deed.slow) outcome.latencies.push({ share, ms });
    if (deed.statuses.includes(reply.status)) return;
    outcome.faulty += 1;
    const words = `${deed.name}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`;
    if (outcome.faults.length < FAULTS_KEPT_MAX) outcome.faults.push(words);
  }
}

const TOTAL = MIX.reduce((sum, { weight }) => sum + weight, 0);

function pick(random: Random): Deed {
  let left = random.next() * TOTAL;
  const found = MIX.find(({ weight }) => (left -= weight) < 0) ?? MIX[0];
  if (!found) throw new Error("There is nothing to do.");
  return found;
}

/** The response times of a part of the time. */
export function latencyOf(
  { latencies }: Outcome,
  from: number,
  to: number,
): { readonly p50Ms: number; readonly p99Ms: number } {
  const part = latencies
    .filter(({ share }) => share >= from && share < to)
    .map(({ ms }) => ms)
    .toSorted((a, b) => a - b);
  return { p50Ms: percentile(part, 0.5), p99Ms: percentile(part, 0.99) };
}
