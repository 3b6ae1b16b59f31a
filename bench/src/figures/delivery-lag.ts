import { setTimeout as pause } from "node:timers/promises";
import { publish, SECRET, startEndpoint, tell } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { nowMs, percentile } from "../statistics.ts";

const SAMPLES = 300;
const WARM_UP = 30;
const TARGET_MS = 20;
/** The system becomes idle between two samples. Random pauses avoid sampling at the same phase of a timer. */
const REST_MIN_MS = 20;
const REST_SPREAD_MS = 40;

/** The time from the response of a publish to the arrival of its event at an endpoint, without other load. */
export const deliveryLag: Figure = {
  name: "delivery-lag",
  async measure(rig, { profileFolder }) {
    const endpoint = await startEndpoint(rig);
    const product = await rig.startProduct({ profileFolder, env: endpoint.env });
    await tell(product, "/api/v1/webhooks", {
      name: "Bench",
      url: `${endpoint.url}/good`,
      events: ["bench.delivered"],
      secret: SECRET,
    });
    await endpoint.reset();
    const lags: number[] = [];
    for (let sample = 1; sample <= WARM_UP + SAMPLES; sample += 1) {
      await pause(REST_MIN_MS + Math.random() * REST_SPREAD_MS);
      await publish(product, "bench.delivered", sample);
      const answeredAtMs = nowMs();
      const { lastAtMs } = await endpoint.arrived(sample);
      if (sample > WARM_UP) lags.push(lastAtMs - answeredAtMs);
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
