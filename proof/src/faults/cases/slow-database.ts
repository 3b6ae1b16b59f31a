import { setTimeout as pause } from "node:timers/promises";
import { duringWork, type Fault, type FaultOptions, type Rules, type Seen } from "../fault.ts";
import type { Proxy } from "../../../../server/src/process/testing/proxy.ts";
import { Stage } from "../stage.ts";
import { crowd } from "../crowd.ts";

const STALL_MS = 20_000;
const SLOW_MS = 8_000;
/** The number of simultaneous requests during a stall. */
const CROWD = 3_000;

async function withProxy(
  { url, onStage }: FaultOptions,
  act: (proxy: Proxy, stage: Stage) => Promise<readonly string[]>,
  rules: Rules,
): Promise<Seen> {
  const env = { MILLRACE_DATABASE_POOL: "8" };
  await using stage = await Stage.open({ database: "server", url, env });
  onStage(stage);
  let told: readonly string[] = [];
  const seen = await duringWork(
    stage,
    async () => {
      told = await act(stage.proxy, stage);
    },
    rules,
  );
  const parked = await stage.parked();
  return {
    lines: [...told, ...seen.lines],
    wrong: [...seen.wrong, ...(parked > 0 ? [`${parked} events were parked`] : [])],
  };
}

const stall: Fault = {
  name: "stall",
  about: `the database says nothing for ${STALL_MS / 1000} s while ${CROWD} requests come`,
  run: (options) =>
    withProxy(
      options,
      async (proxy, stage) => {
        proxy.weather = "stalled";
        const crowded = crowd(stage, CROWD);
        await pause(STALL_MS);
        proxy.weather = "calm";
        return [await crowded];
      },
      // One request lasts as long as the stall, and the following ones wait for it.
      { mustShed: true, slowestMaxMs: STALL_MS + 12_000 },
    ),
};

const delay: Fault = {
  name: "delay",
  about: "each message to and from the database takes 100 ms longer",
  run: (options) =>
    withProxy(
      options,
      async (proxy) => {
        proxy.delayMs = 100;
        await pause(SLOW_MS);
        proxy.delayMs = 0;
        return [];
      },
      {},
    ),
};

const throttle: Fault = {
  name: "throttle",
  about: "each connection to the database carries 4 KB a second",
  run: (options) =>
    withProxy(
      options,
      async (proxy) => {
        proxy.bytesPerSecond = 4_096;
        await pause(SLOW_MS);
        proxy.bytesPerSecond = Infinity;
        return [];
      },
      {},
    ),
};

/** Faults of a slow database. */
export const slowDatabase: readonly Fault[] = [stall, delay, throttle];
