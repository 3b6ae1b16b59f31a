/**
 * Runs before each test file: property tests use the seed of the run, with ten times as many values in thorough runs.
 */
import fc from "fast-check";
import { TEST_SEED } from "./seed.ts";
import { tries } from "./thorough.ts";

fc.configureGlobal({ seed: TEST_SEED, numRuns: tries(100) });
