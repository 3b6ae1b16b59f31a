import { parseArgs } from "node:util";
import type { Finding, Options, Proof } from "../proof.ts";
import { runTests } from "./run-tests.ts";

const TESTS = [
  "process/crash",
  "process/steps-crash",
  "process/webhooks-crash",
  "process/first-start",
  "kernel/embedded/crash",
];

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
  const held = await runTests(
    TESTS.map((name) => `src/${name}.test.ts`),
    { MILLRACE_CRASH_ROUNDS: values.rounds, MILLRACE_CRASH_SEED: values.seed },
  );
  return { held, lines: [`seed ${values.seed}`, `${values.rounds} rounds`] };
}
