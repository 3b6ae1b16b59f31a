/**
 * The seed of all random tests of a run: derived from the commit, so that a commit that passed once passes in every
 * clone, and other commits test other values. `MILLRACE_TEST_SEED` sets it; `proof -- thorough` uses a random one.
 */
import { execFileSync } from "node:child_process";
import { IS_THOROUGH } from "./thorough.ts";

/** For sources without a Git repository. */
const WITHOUT_COMMIT = 20_261;
const HEX_DIGITS = 7;

/** Chooses the seed in the first process. Workers read it from their environment. */
export function chooseSeed(env: NodeJS.ProcessEnv = process.env): number {
  const named = env["MILLRACE_TEST_SEED"];
  if (named !== undefined) return readSeed(named);
  if (IS_THOROUGH) return Date.now() % 2 ** 28;
  return seedOfCommit() ?? WITHOUT_COMMIT;
}

/** The seed of this run, in a worker. */
export const TEST_SEED = readSeed(process.env["MILLRACE_TEST_SEED"] ?? String(WITHOUT_COMMIT));

function readSeed(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`MILLRACE_TEST_SEED is not a number: ${text}`);
  return Number(text);
}

function seedOfCommit(): number | undefined {
  try {
    const hash = execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
    return Number.parseInt(hash.slice(0, HEX_DIGITS), 16);
  } catch {
    return undefined;
  }
}
