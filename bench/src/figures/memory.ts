import { setTimeout as pause } from "node:timers/promises";
import type { Figure } from "../figure.ts";

const IDLE_MS = 5_000;
const TARGET_MB = 150;

/** The resident memory of the idle Node process; PostgreSQL's processes are not in it. */
export const memory: Figure = {
  name: "memory",
  async measure(rig) {
    // The first start of all compiles the sources; every later one finds them compiled.
    const first = await rig.startPlainProduct();
    await first.stop();
    const product = await rig.startPlainProduct();
    await pause(IDLE_MS);
    const reply = await fetch(`http://127.0.0.1:${product.port}/metrics`);
    const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(await reply.text())?.[1];
    const megabytes = Number(bytes) / 1e6;
    if (!Number.isFinite(megabytes))
      throw new Error("/metrics does not say how much memory is used.");
    return {
      ours: `${megabytes.toFixed(0)} MB`,
      target: `≤ ${TARGET_MB} MB`,
      reached: megabytes <= TARGET_MB,
      notes: [`${IDLE_MS / 1000} s after a start on an existing data folder`],
      values: { megabytes },
    };
  },
};
