import type { Figure } from "../figure.ts";
import { spreadOf } from "../statistics.ts";

const STARTS = 5;
const TARGET_MS = 4_000;

/** From the spawn to ready, on an existing data folder. */
export const start: Figure = {
  name: "start",
  async measure(rig) {
    // The first start creates the workspace and its owner.
    await (await rig.startPlainProduct()).stop();
    const timesMs: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      const product = await rig.startPlainProduct();
      timesMs.push(product.readyMs);
      await product.stop();
    }
    const spread = spreadOf(timesMs);
    return {
      ours: `${Math.round(spread.median)} ms`,
      target: `≤ ${TARGET_MS} ms`,
      reached: spread.median <= TARGET_MS,
      notes: [`${STARTS} starts: ${Math.round(spread.min)}–${Math.round(spread.max)} ms`],
      values: { timesMs },
    };
  },
};
