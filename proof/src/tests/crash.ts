import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/**
 * Runs the kill -9 tests of one process with its embedded database for more rounds than the test suite; 23 rounds
 * cover each kind of step. Arguments select some of them. With `TEST_DATABASE_URL`, the runs are stored on that
 * server.
 */
export const crash: Proof = {
  name: "crash",
  usage: "[steps webhooks …] [--rounds 30] [--seed N] [--at turn1]",
  run,
};

async function run(options: Options): Promise<Finding> {
  const { values, positionals } = parseArgs({
    args: [...options],
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "30" },
      at: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  });
  const place = await mkdtemp(join(tmpdir(), "millrace-crash-"));
  const report = join(place, "steps");
  const isChosen = (name: string): boolean =>
    positionals.length === 0 || positionals.some((word) => name.includes(word));
  const held = await runTests(
    TESTS.filter(isChosen).map((name) => `src/${name}.test.ts`),
    {
      MILLRACE_CRASH_ROUNDS: values.rounds,
      MILLRACE_CRASH_SEED: values.seed,
      MILLRACE_CRASH_REPORT: report,
      ...(values.at !== undefined && { MILLRACE_CRASH_AT: values.at }),
    },
  );
  const steps = await readFile(report, "utf8").catch(() => "");
  await rm(place, { recursive: true, force: true });
  return {
    held,
    lines: [
      "round  in the middle of               kill    outcome",
      ...steps.trimEnd().split("\n"),
      `${values.rounds} rounds, seed ${values.seed}`,
    ],
  };
}
