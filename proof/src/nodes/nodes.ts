import { parseArgs } from "node:util";
import type { Finding, Options, Proof } from "../proof.ts";
import { openDatabase } from "./database.ts";
import type { Mishap } from "./fleet.ts";
import { endOnInterrupt, interruptible } from "./interruption.ts";
import { tryNodes } from "./trial.ts";
import { troubleOften } from "./unrest.ts";

const MINUTE_MS = 60_000;
/** The longest lease belongs to a scheduled job, which may run for five minutes. */
const QUIET_MAX_MS = 7 * MINUTE_MS;
const FAULTS_TOLD_MAX = 40;

/** Several nodes on one database under load, while some are restarted and some are killed. */
export const nodes: Proof = {
  name: "nodes",
  usage:
    "[--minutes 5] [--seed N] [--database URL] [--api 2] [--worker 2] [--hands 2] " +
    "[--restart-every 15] [--kill-every 20]",
  run,
};

async function run(options: Options): Promise<Finding> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      minutes: { type: "string", default: "5" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      database: { type: "string" },
      api: { type: "string", default: "2" },
      worker: { type: "string", default: "2" },
      hands: { type: "string", default: "2" },
      "restart-every": { type: "string", default: "15" },
      "kill-every": { type: "string", default: "20" },
    },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  tell(`seed ${seed}`);
  endOnInterrupt();
  await using undo = interruptible(new AsyncDisposableStack());
  const database = undo.use(await openDatabase(values.database));
  const startedAt = performance.now();
  const { lines, faults, evidence } = await tryNodes({
    database,
    api: Number(values.api),
    worker: Number(values.worker),
    seed,
    hands: Number(values.hands),
    restMaxMs: 60,
    trouble: ({ fleet, random }) =>
      troubleOften(fleet, random, {
        restartEveryMs: Number(values["restart-every"]) * 1_000,
        killEveryMs: Number(values["kill-every"]) * 1_000,
        signal: AbortSignal.timeout(minutes * MINUTE_MS),
      }),
    quietMaxMs: QUIET_MAX_MS,
    leases: "run out",
    repeats: "after a kill",
    tell,
  });
  const { mishaps } = evidence;
  const count = (role: Mishap["role"], how: Mishap["how"]): number =>
    mishaps.filter((one) => one.role === role && one.how === how).length;
  return {
    held: faults.length === 0,
    lines: [
      `${values.api} api and ${values.worker} worker for ${minutes} minutes, seed ${seed}: ` +
        `${count("api", "restarted")} api and ${count("worker", "restarted")} worker restarted, ` +
        `${count("api", "killed")} api and ${count("worker", "killed")} worker killed`,
      ...lines,
      `checked after ${Math.round((performance.now() - startedAt) / 1_000)} s`,
      ...faults.slice(0, FAULTS_TOLD_MAX).map((fault) => `FAULT ${fault}`),
      ...(faults.length > FAULTS_TOLD_MAX ? [`and ${faults.length - FAULTS_TOLD_MAX} more`] : []),
    ],
  };
}
