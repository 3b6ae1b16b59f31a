import { setTimeout as pause } from "node:timers/promises";
import type { Figure } from "../figure.ts";

/** V8 collects the garbage of the start after eight seconds without requests, when a server counts as idle. */
const IDLE_MS = 15_000;
const FRESH_MS = 5_000;
const TARGET_MB = 150;

/** The resident memory of the idle Node process, without PostgreSQL's processes. */
export const memory: Figure = {
  name: "memory",
  async measure(rig) {
    // The very first start compiles the sources; later starts use the compile cache.
    const first = await rig.startPlainProduct();
    await first.stop();
    const { port } = await rig.startPlainProduct();
    await pause(FRESH_MS);
    const fresh = await readMegabytes(port);
    await pause(IDLE_MS - FRESH_MS);
    const megabytes = await readMegabytes(port);
    return {
      ours: `${megabytes.toFixed(0)} MB`,
      target: `≤ ${TARGET_MB} MB`,
      reached: megabytes <= TARGET_MB,
      notes: [
        `${IDLE_MS / 1000} s after a start on an existing data folder; ${fresh.toFixed(0)} MB after ${FRESH_MS / 1000} s`,
      ],
      values: { megabytes, fresh },
    };
  },
};

async function readMegabytes(port: number): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(await reply.text())?.[1];
  const megabytes = Number(bytes) / 1e6;
  if (!Number.isFinite(megabytes))
    throw new Error("/metrics does not say how much memory is used.");
  return megabytes;
}
