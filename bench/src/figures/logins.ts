import type { Figure } from "../figure.ts";
import { load } from "../load.ts";
import { loginsAs } from "../request.ts";
import { percentile } from "../statistics.ts";

const LOGINS = 200;
const TARGET_MS = 100;

/** The latency of other requests during 200 logins, 16 at a time: password hashing is slow by design. */
export const logins: Figure = {
  name: "logins",
  async measure(rig) {
    const { port } = await rig.startProduct();
    let over = false;
    const storm = load({ port, status: 200, next: loginsAs(rig.login) }, { count: LOGINS }).finally(
      () => (over = true),
    );
    const waits: number[] = [];
    while (!over) {
      const sentAt = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
      waits.push(performance.now() - sentAt);
    }
    const { perSecond } = await storm;
    waits.sort((a, b) => a - b);
    const p99 = percentile(waits, 0.99);
    return {
      ours: `${perSecond.toFixed(0)} logins/s`,
      target: `p99 ≤ ${TARGET_MS} ms`,
      reached: p99 <= TARGET_MS,
      notes: [
        `/healthz meanwhile: p50 ${percentile(waits, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${waits.length}`,
      ],
      values: { perSecond, p99 },
    };
  },
};
