import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Child, startChild } from "../../../bench/src/child.ts";
import { openDatabase, type SharedDatabase } from "../nodes/database.ts";
import { Random } from "../nodes/random.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { Api } from "./api.ts";
import { type Endpoint, openEndpoint } from "./endpoint.ts";
import { furnish } from "./furniture.ts";
import { type Evidence, judge } from "./judge.ts";
import { shorten } from "./lifetimes.ts";
import { load } from "./load.ts";
import { readMemory } from "./memory.ts";
import { type Sample, sample } from "./sample.ts";

const LOGIN = { email: "admin@example.com", password: "a password for the proof" };
const SAMPLE_EVERY_MS = 10_000;
const REST_MAX_MS = 60_000;
const MINUTE_MS = 60_000;
const COMPLAINTS_TOLD_MAX = 10;

/** Mixed load at a fixed rate: no resource may grow without bound. */
export const soak: Proof = {
  name: "soak",
  usage:
    "[--minutes 20] [--rate 150] [--kept minutes] [--seed N] [--database URL] [--samples FILE]",
  run,
};

async function run(options: Options): Promise<Finding> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      minutes: { type: "string", default: "20" },
      rate: { type: "string", default: "150" },
      kept: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      database: { type: "string" },
      samples: { type: "string" },
    },
  });
  const minutes = Number(values.minutes);
  const plan = {
    minutes,
    keptMinutes: Number(values.kept ?? Math.max(0.5, minutes / 8)),
    perSecond: Number(values.rate),
    seed: Number(values.seed),
  };
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ending.abort());
  process.stderr.write(`seed ${plan.seed}\n`);
  const evidence = await gather(plan, values.database, ending.signal);
  if (values.samples !== undefined) {
    const { samples, memory } = evidence;
    await writeFile(values.samples, JSON.stringify({ samples, memory }));
  }
  const rulings = judge(evidence);
  const { outcome, complaints } = evidence;
  return {
    held: !ending.signal.aborted && rulings.every(({ held }) => held),
    lines: [
      `${minutes} minutes at ${plan.perSecond} requests/s, things kept for ${plan.keptMinutes} minutes, seed ${plan.seed}`,
      ...[...outcome.byDeed].map(([deed, count]) => `  ${count} × ${deed}`),
      ...rulings.map(({ rule, held, seen }) => `${held ? "held" : "NOT "}  ${rule}: ${seen}`),
      ...outcome.faults.map((fault) => `FAULT ${fault}`),
      ...complaints.slice(0, COMPLAINTS_TOLD_MAX).map((line) => `LOG ${line.slice(0, 500)}`),
    ],
  };
}

interface Plan {
  readonly minutes: number;
  readonly keptMinutes: number;
  readonly perSecond: number;
  readonly seed: number;
}

/** Starts everything, runs and monitors the load, and stops everything. */
async function gather(plan: Plan, url: string | undefined, signal: AbortSignal): Promise<Evidence> {
  await using undo = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-soak-")));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const database = undo.use(await openDatabase(url));
  const endpoint = undo.use(await openEndpoint(folder));
  const product = await startProduct({ database, endpoint, folder, plan });
  undo.defer(() => product.stop());
  await shorten(database, plan.keptMinutes);
  const api = new Api(product.port);
  undo.defer(() => api.close());
  const things = await furnish(api, LOGIN, endpoint);
  const samples: Sample[] = [];
  const looking = new AbortController();
  const watching = watch(database, product, samples, looking.signal);
  // It may fail long before it is awaited.
  watching.catch(() => undefined);
  const outcome = await load(api, things, {
    perSecond: plan.perSecond,
    forMs: plan.minutes * MINUTE_MS,
    random: new Random(plan.seed),
    signal,
  });
  looking.abort();
  await watching;
  const left = await rest(database, product, signal);
  const log = await readFile(join(folder, "product.log"), "utf8");
  return {
    minutes: plan.minutes,
    keptMinutes: plan.keptMinutes,
    outcome,
    samples,
    memory: readMemory(join(folder, "memory.jsonl")),
    left,
    complaints: log
      .split("\n")
      .filter((line) => /"level":"?(4|5|6)0|"level":"(warn|error|fatal)"/.test(line)),
  };
}

function startProduct(stage: {
  readonly database: SharedDatabase;
  readonly endpoint: Endpoint;
  readonly folder: string;
  readonly plan: Plan;
}): Promise<Child> {
  const { database, endpoint, folder, plan } = stage;
  return startChild({
    args: [
      "--max-semi-space-size=8",
      "--scavenger-max-new-space-capacity-mb=8",
      "--expose-gc",
      join(import.meta.dirname, "product.ts"),
    ],
    env: {
      ...database.env,
      ...endpoint.env,
      MILLRACE_DATA_DIR: join(folder, "data"),
      MILLRACE_DATABASE_POOL: "16",
      MILLRACE_ADMIN_PASSWORD: LOGIN.password,
      MILLRACE_RATE_LIMIT: "0",
      MILLRACE_LOGIN_RATE_LIMIT: "0",
      MILLRACE_LOG_LEVEL: "warn",
      SOAK_KEPT_MINUTES: String(plan.keptMinutes),
      SOAK_MEMORY_FILE: join(folder, "memory.jsonl"),
    },
    logFile: join(folder, "product.log"),
  });
}

/** Samples every ten seconds until the load has ended. */
async function watch(
  database: SharedDatabase,
  product: Child,
  samples: Sample[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const one = await sample(database, product);
    samples.push(one);
    const { queues, children, walMiB } = one;
    const waiting = Object.entries(queues).map(([name, n]) => `${name} ${n}`);
    process.stderr.write(
      `${samples.length}: ${waiting.join(", ")}, ${children.count} processes, log of ${walMiB.toFixed(0)} MiB\n`,
    );
    await pause(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until no work is left, or the timeout. */
async function rest(
  database: SharedDatabase,
  product: Child,
  signal: AbortSignal,
): Promise<Sample> {
  const limit = performance.now() + REST_MAX_MS;
  for (;;) {
    const one = await sample(database, product);
    const busy = Object.values(one.queues).some((count) => count > 0);
    if (!busy || signal.aborted || performance.now() > limit) return one;
    await pause(500);
  }
}
