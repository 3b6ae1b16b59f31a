/** Runs before each test file: property tests take the seed of the run, and ten times as many values when thorough. */
import fc from "fast-check";
import { TEST_SEED } from "./seed.ts";
import { tries } from "./thorough.ts";

fc.configureGlobal({ seed: TEST_SEED, numRuns: tries(100) });
