import { setTimeout as pause } from "node:timers/promises";
import { duringWork, type Fault, type FaultOptions, type Rules, type Seen } from "../fault.ts";
import { Stage } from "../stage.ts";

const RESETS = 40;
const RESET_EVERY_MS = 150;
const RESET_SHARE = 0.5;
const COMMITS_LOST = 60;
const COMMITS_MAX_MS = 60_000;
const LOST_MS = 15_000;
/** A connection without data for longer than any statement may take is closed. */
const SILENCE_MAX_MS = 75_000;

async function suffer(
  { url, onStage }: FaultOptions,
  act: (stage: Stage) => Promise<readonly string[]>,
  rules: Rules,
): Promise<Seen> {
  await using stage = await Stage.open({ database: "server", url });
  onStage(stage);
  let told: readonly string[] = [];
  const seen = await duringWork(
    stage,
    async () => {
      told = await act(stage);
    },
    rules,
  );
  const parked = await stage.parked();
  return {
    lines: [...told, ...seen.lines],
    wrong: [...seen.wrong, ...(parked > 0 ? [`${parked} events were parked`] : [])],
  };
}

const resets: Fault = {
  name: "resets",
  about: `${RESETS} times, half of the database connections are reset in the middle of whatever they do`,
  run: (options) =>
    suffer(
      options,
      async ({ proxy }) => {
        for (let round = 0; round < RESETS; round += 1) {
          proxy.reset(RESET_SHARE, options.random);
          await pause(RESET_EVERY_MS);
        }
        return [`${proxy.cut} connections were reset`];
      },
      { mustShed: true },
    ),
};

const lostCommits: Fault = {
  name: "lost-commits",
  about: `${COMMITS_LOST} times, a connection is reset between a commit and its answer`,
  run: (options) =>
    suffer(
      options,
      async ({ proxy }) => {
        proxy.commitsToLose = COMMITS_LOST;
        const limit = performance.now() + COMMITS_MAX_MS;
        while (proxy.commitsToLose > 0 && performance.now() < limit) await pause(50);
        return [`${COMMITS_LOST - proxy.commitsToLose} answers to a commit were lost`];
      },
      { mustShed: true },
    ),
};

const blackHole: Fault = {
  name: "black-hole",
  about: `all open connections go silent for good, without a reset; new ones for ${LOST_MS / 1000} s`,
  run: (options) =>
    suffer(
      options,
      async ({ proxy }) => {
        proxy.weather = "lost";
        await pause(LOST_MS);
        proxy.weather = "calm";
        return [`${proxy.connections} connections were silent`];
      },
      { mustShed: true, recoverMaxMs: SILENCE_MAX_MS, slowestMaxMs: SILENCE_MAX_MS },
    ),
};

/** Faults of broken database connections. */
export const droppedConnections: readonly Fault[] = [resets, lostCommits, blackHole];
