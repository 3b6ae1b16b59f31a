import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type Reporter, type TestSpecification } from "vitest/node";
import { chooseSeed } from "./src/kernel/testing/seed.ts";

/** Tests in a browser, of every operation, and with processes of their own. */
const LONG =
  /\/src\/(journeys|sweep|process|cli|portability|offline|code-cli|artifact-cli|lazy-imports|source-stack|kernel\/(embedd|sandbox|expression\/pool)|domains\/(portability|documents|itsm\/(model|knowledge)))/;

/**
 * What `npm test -- --short` leaves out: four tenths of the time, for whoever wants to know after seven minutes whether a
 * change is on its way. Most changes that break one of these break one that stays.
 */
const NOT_SHORT = [
  // Whole processes, beside their first start; commands of the host; pools of processes.
  "src/process/!(first-start).test.ts",
  "src/{cli,offline,portability}/**",
  "src/{code-cli,artifact-cli,source-stack,lazy-imports}.test.ts",
  "src/domains/portability/**",
  "src/kernel/{embedded,embedding,sandbox}/**",
  "src/kernel/expression/pool/**",
  // Journeys, beside the first one, and those of agents and of people who ask.
  "src/journeys/!(approvals|desk|home|portal).test.ts",
  "src/journeys/desk-settings.test.ts",
  // What is large, long or against the clock.
  "src/domains/{documents,workflows/n8n,records/vectors}/**",
  "src/domains/runs/{endurance,backfill/backfill}.test.ts",
  "src/domains/{agents/hostile-model,bus/explorer/explorer,itsm/knowledge/knowledge.recall}.test.ts",
  "src/domains/{migrations/limits,queries/memory,records/read/large}.test.ts",
  "src/kernel/{db/upgrade,http/compression/compression}.test.ts",
  "src/sweep/event-loop.test.ts",
];

/** The part of the others that comes between the long ones; the rest fills the end. */
const BETWEEN = 0.8;

/**
 * Long ones wait for much of their time, and the others hardly ever do: all long ones first left a quarter of two cores
 * idle for as long as they ran. So each is followed by its share of the others, the longest first of either.
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
    // A worker belongs to one project: those of the other come last, or a further one would load the whole product.
    const rest = others.slice(Math.floor(long.length * share));
    return [...mixed, ...rest, ...sorted.filter(isOther)];
  }
}

// The first process compiles the product, and its workers find it compiled: each took six seconds of the processor.
const COMPILED = join(import.meta.dirname, "../node_modules/.cache/millrace-compiled");
enableCompileCache(COMPILED);
process.env["NODE_COMPILE_CACHE"] = COMPILED;

/**
 * More than cores: tests of pages and of whole processes wait for much of their time. With five, two cores were no busier
 * and took a twelfth more: each worker compiles the product's hot functions anew, and all share the caches.
 */
const WORKERS = 3;

// Rubbish is collected seldom, and not in threads of its own: those took a sixth of a worker's time from the others.
// Nor is it whenever a worker waits, which it does after each question to a database: that was every other time. The
// product alone is so large that V8 would begin to look through all of it at once, and again and again as it grows.
const FLAGS = [
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
  "--initial-old-space-size=512",
  "--single-threaded-gc",
  "--no-memory-reducer",
];
const PRELOAD = join(import.meta.dirname, "src/kernel/testing/preload.ts");

process.env["MILLRACE_TEST_SEED"] = String(chooseSeed());

/** Names the seed where it matters. */
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
    // A second, which is the default, is not much for a page on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: WORKERS,
    // Each file would load the whole product anew, which took a third of the time. What a test changes for its whole
    // process, such as a setting of the environment or a timer, it must put back.
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
          // Node reads the sources itself, as it does in the product: to transform them took 15 seconds. No test has a
          // mock of a module, for which vitest would read and parse each file once more.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      // The console's own, of what is pure; its screens are in `src/journeys`.
      {
        extends: true,
        test: { name: "console", include: ["../console/src/**/*.test.ts"], execArgv: FLAGS },
      },
      // The statistics of the benchmarks, and how they read processor time.
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
