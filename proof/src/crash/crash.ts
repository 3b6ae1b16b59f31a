import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Finding, Options, Proof } from "../proof.ts";

const SERVER = join(import.meta.dirname, "../../../server");
const VITEST = join(import.meta.dirname, "../../../node_modules/vitest/vitest.mjs");
const TESTS = ["src/process/crash.test.ts", "src/process/webhooks-crash.test.ts"];

/** The tests of kill -9 on one process and its embedded database, for more rounds than the tests have time for. */
export const crash: Proof = {
  name: "crash",
  usage: "[--rounds 30] [--seed N]",
  run,
};

async function run(options: Options): Promise<Finding> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      rounds: { type: "string", default: "30" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  });
  const child = spawn(process.execPath, [VITEST, "run", ...TESTS], {
    cwd: SERVER,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      MILLRACE_CRASH_ROUNDS: values.rounds,
      MILLRACE_CRASH_SEED: values.seed,
    },
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { held: code === 0, lines: [`seed ${values.seed}`, `${values.rounds} rounds`] };
}
