import { setTimeout as pause } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { nowMs, percentile } from "../statistics.ts";
import { deploy, ORDERS } from "../workflow.ts";

const SAMPLES = 300;
const WARM_UP = 100;
const TARGET_MS = 10;
/** The system becomes idle between two samples. Random pauses avoid sampling at the same phase of a timer. */
const REST_MIN_MS = 20;
const REST_SPREAD_MS = 40;

/** The duration of one run, from the request that starts it to its response, without other load. */
export const runLag: Figure = {
  name: "run-lag",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const { hookPath } = await deploy(product, ORDERS);
    const lags: number[] = [];
    for (let sample = 1; sample <= WARM_UP + SAMPLES; sample += 1) {
      await pause(REST_MIN_MS + Math.random() * REST_SPREAD_MS);
      const lagMs = await timeOf(`http://127.0.0.1:${product.port}${hookPath}`, sample);
      if (sample > WARM_UP) lags.push(lagMs);
    }
    lags.sort((a, b) => a - b);
    const p50 = percentile(lags, 0.5);
    const p99 = percentile(lags, 0.99);
    return {
      ours: `p50 ${p50.toFixed(1)} ms`,
      target: `p50 ≤ ${TARGET_MS} ms`,
      reached: p50 <= TARGET_MS,
      notes: [`p99 ${p99.toFixed(1)} ms, most ${lags.at(-1)?.toFixed(1)} ms of ${SAMPLES}`],
      values: { p50, p99, lags },
    };
  },
};

async function timeOf(url: string, n: number): Promise<number> {
  const body = JSON.stringify({ number: `ORD-${n}`, price: 49.9, quantity: 3 });
  const sentAtMs = nowMs();
  const reply = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const text = await reply.text();
  const lagMs = nowMs() - sentAtMs;
  if (reply.status !== 200) throw new Error(`It answered ${reply.status}: ${text}`);
  return lagMs;
}
