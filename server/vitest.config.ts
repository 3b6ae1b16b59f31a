import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type Reporter, type TestSpecification } from "vitest/node";
import { chooseSeed } from "./src/kernel/testing/seed.ts";

/** Tests with a browser, of every operation, or with separate processes. */
const LONG =
  /\/src\/(journeys|sweep|process|cli|portability|offline|code-cli|artifact-cli|lazy-imports|source-stack|kernel\/(embedd|sandbox|expression\/pool)|domains\/(portability|documents|itsm\/(model|knowledge)))/;

/**
 * The tests skipped by `npm test -- --short`: four tenths of the time, for a quick result after seven minutes. Most
 * changes that break one of these also break another test.
 */
const NOT_SHORT = [
  // Whole processes except their first start; host commands; process pools.
  "src/process/!(first-start).test.ts",
  "src/{cli,offline,portability}/**",
  "src/{code-cli,artifact-cli,source-stack,lazy-imports}.test.ts",
  "src/domains/portability/**",
  "src/kernel/{embedded,embedding,sandbox}/**",
  "src/kernel/expression/pool/**",
  // Journeys except the first one, those of agents and those of requesters.
  "src/journeys/!(approvals|desk|home|portal).test.ts",
  "src/journeys/desk-settings.test.ts",
  // Large, long or time-dependent tests.
  "src/domains/{documents,workflows/n8n,records/vectors}/**",
  "src/domains/runs/{endurance,backfill/backfill}.test.ts",
  "src/domains/{agents/hostile-model,bus/explorer/explorer,itsm/knowledge/knowledge.recall}.test.ts",
  "src/domains/{migrations/limits,queries/memory,records/read/large}.test.ts",
  "src/kernel/{db/upgrade,http/compression/compression}.test.ts",
  "src/sweep/event-loop.test.ts",
];

/** The share of short tests that run between the long ones. The rest runs at the end. */
const BETWEEN = 0.8;

/**
 * Long tests wait for much of their time, and short ones hardly ever do: running all long ones first left a quarter of
 * two cores idle. So each is followed by its share of the short ones, longest first.
 */
class LongAmongShort extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    const isOther = ({ project }: TestSpecification): boolean => project.name !== "server";
    const long = sorted.filter(isLong);
    const others = sorted.filter((file) => !isLong(file) && !isOther(file));
    const share = (others.length * BETWEEN) / long.length;
    const mixed = long.flatMap((file, index) => [
      file,
      ...others.slice(Math.floor(index * share), Math.floor((index + 1) * share)),
    ]);
    // A worker belongs to one project: tests of the other project run last, because another worker would load the
    // whole product.
    const rest = others.slice(Math.floor(long.length * share));
    return [...mixed, ...rest, ...sorted.filter(isOther)];
  }
}

// The first process compiles the product for its workers, which saves each six seconds of CPU time.
const COMPILED = join(import.meta.dirname, "../node_modules/.cache/millrace-compiled");
enableCompileCache(COMPILED);
process.env["NODE_COMPILE_CACHE"] = COMPILED;

/**
 * More than the number of cores, because tests of pages and processes often wait. Five workers took a twelfth longer
 * on two cores: each worker compiles the hot functions again, and all share the CPU caches.
 */
const WORKERS = 3;

// Garbage is collected rarely and without separate threads, which took a sixth of a worker's time from the others, and
// not whenever a worker waits, which happens after each database query. The product is so large that V8 would start
// full collections immediately and repeatedly.
const FLAGS = [
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
  "--initial-old-space-size=512",
  "--single-threaded-gc",
  "--no-memory-reducer",
];
const PRELOAD = join(import.meta.dirname, "src/kernel/testing/preload.ts");

process.env["MILLRACE_TEST_SEED"] = String(chooseSeed());

/** Prints the seed of a failed run. */
const SEED_REPORTER: Reporter = {
  onTestRunEnd(_modules, _errors, reason) {
    const isThorough = process.env["MILLRACE_THOROUGH"] === "1";
    if (reason === "passed" && !isThorough) return;
    const seed = process.env["MILLRACE_TEST_SEED"];
    process.stderr.write(
      `\nRandom tests had the seed ${seed}: MILLRACE_TEST_SEED=${seed} repeats it.\n`,
    );
  },
};

export default defineConfig({
  test: {
    // The default of one second is too short for a page on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: WORKERS,
    // Each file would load the whole product again, which took a third of the time. A test must revert changes to its
    // process, such as environment variables and timers.
    isolate: false,
    setupFiles: ["property-tests.ts", "test-limits.ts"].map((file) =>
      join(import.meta.dirname, "src/kernel/testing", file),
    ),
    sequence: { sequencer: LongAmongShort },
    reporters: ["default", SEED_REPORTER],
    projects: [
      {
        extends: true,
        test: {
          name: "server",
          include: ["src/**/*.test.ts"],
          exclude: [
            ...configDefaults.exclude,
            ...(process.env["MILLRACE_TESTS"] === "short" ? NOT_SHORT : []),
          ],
          globalSetup: [
            "./src/kernel/testing/database.ts",
            "./src/kernel/testing/browser-notice.ts",
          ],
          execArgv: [...FLAGS, "--import", PRELOAD],
          // Node loads the sources itself, like in the product: transforming them took 15 seconds. Tests do not mock
          // modules, for which vitest would parse each file again.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      // Tests of the console's pure functions. Its screens are tested in `src/journeys`.
      {
        extends: true,
        test: { name: "console", include: ["../console/src/**/*.test.ts"], execArgv: FLAGS },
      },
      // Tests of the benchmarks' statistics and CPU time measurement.
      {
        extends: true,
        test: {
          name: "bench",
          include: ["../{bench,proof}/src/**/*.test.ts"],
          execArgv: FLAGS,
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
    ],
  },
});
