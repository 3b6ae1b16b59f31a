import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding, Options, Proof } from "../proof.ts";
import { runTests } from "./run-tests.ts";

const SERVER = join(import.meta.dirname, "../../../server");

/** Detects tests with a long form: more rounds, axe checks, or random values. */
const HAS_LONG_FORM =
  /testing\/thorough\.ts|testing\/seed\.ts|"fast-check"|journeys\/testing\.ts|"\.\/testing\.ts"/;

/** Runs all tests that have a long form: every attack, kill time, role and page variant. */
export const thorough: Proof = {
  name: "thorough",
  usage: "[words of the files' paths]",
  run,
};

async function run(words: Options): Promise<Finding> {
  const files = globSync(["src/**/*.test.ts", "../console/src/**/*.test.ts"], { cwd: SERVER })
    .filter((file) => HAS_LONG_FORM.test(read(file)))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .toSorted();
  return { held: await runTests(files), lines: files };
}

function read(file: string): string {
  return readFileSync(join(SERVER, file), "utf8");
}
