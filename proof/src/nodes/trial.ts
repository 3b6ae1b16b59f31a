import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Check, Evidence } from "./check/check.ts";
import { checkClocks } from "./check/clocks.ts";
import { checkDeliveries } from "./check/deliveries.ts";
import { checkLog } from "./check/log.ts";
import { checkMachinery } from "./check/machinery.ts";
import { checkRuns } from "./check/runs.ts";
import { checkSchedules } from "./check/schedules.ts";
import { checkState } from "./check/state.ts";
import { Client } from "./client.ts";
import type { SharedDatabase } from "./database.ts";
import { Fleet } from "./fleet.ts";
import { furnish, retire } from "./furnish.ts";
import { interruptible } from "./interruption.ts";
import { Ledger } from "./ledger.ts";
import { incidents } from "./load/incidents.ts";
import { batches, orders } from "./load/records.ts";
import { messages, requests } from "./load/runs.ts";
import { write } from "./load/writer.ts";
import { logIn, PRODUCT_ENV } from "./product.ts";
import { endLeases, untilOnTime, untilQuiet } from "./quiet.ts";
import { Random } from "./random.ts";
import { Receiver } from "./receiver.ts";

const WRITERS = [orders, batches, incidents, messages, requests];
const CHECKS: readonly Check[] = [
  checkState,
  checkLog,
  checkRuns,
  checkDeliveries,
  checkSchedules,
  checkClocks,
  checkMachinery,
];

export interface TrialOptions {
  readonly database: SharedDatabase;
  readonly api: number;
  readonly worker: number;
  readonly seed: number;
  /** The number of concurrent clients per kind, and their maximum pause. */
  readonly hands: number;
  readonly restMaxMs: number;
  /** Restarts and kills nodes. The load ends when it resolves. */
  readonly trouble: (about: Troubled) => Promise<void>;
  /** The maximum time until all work has ended. */
  readonly quietMaxMs: number;
  /** Whether leases of killed nodes expire normally or are ended, for tests with little time. */
  readonly leases: "run out" | "are ended";
  readonly repeats: Evidence["repeats"];
  readonly env?: Readonly<Record<string, string>>;
  readonly tell?: (line: string) => void;
}

/** The context for restarting and killing nodes. */
export interface Troubled {
  readonly fleet: Fleet;
  readonly random: Random;
  /** The number of completed calls. */
  readonly answered: () => number;
}

export interface TrialOutcome {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
  readonly evidence: Evidence;
}

/** Loads nodes with mixed work while some of them end, then checks for lost or duplicate work. */
export async function tryNodes(options: TrialOptions): Promise<TrialOutcome> {
  const { database, seed, tell = () => undefined } = options;
  await using undo = interruptible(new AsyncDisposableStack());
  const folder = await mkdtemp(join(tmpdir(), "millrace-nodes-"));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const receiver = undo.use(await Receiver.start(folder));
  const env = {
    ...PRODUCT_ENV,
    NODE_COMPILE_CACHE: join(folder, "compiled"),
    ...database.env,
    ...receiver.env,
    ...options.env,
  };
  const { api, worker } = options;
  const fleet = undo.use(await Fleet.start({ env, folder, api, worker }));
  tell(`${api} api and ${worker} worker are ready`);
  const ledger = new Ledger();
  const client = new Client(fleet, ledger, await logIn(fleet));
  const furniture = await furnish(client, receiver).catch((error: unknown) => {
    throw new Error(ledger.faults.join("\n"), { cause: error });
  });
  const random = new Random(seed);
  let isOver = false;
  const trouble = options
    .trouble({ fleet, random, answered: () => ledger.acts.length })
    .finally(() => (isOver = true));
  const load = { client, furniture, random: new Random(seed + 1), isOver: () => isOver };
  const { hands, restMaxMs } = options;
  await Promise.all([trouble, write(WRITERS, { ...load, hands, restMaxMs })]);
  tell(`${ledger.acts.length} acts were answered; waiting until all is quiet`);
  const { mishaps } = fleet;
  const lastKill = mishaps.findLast(({ how }) => how === "killed");
  if (options.leases === "are ended" && lastKill) await endLeases(database, lastKill.atMs);
  await untilOnTime(database, options.quietMaxMs);
  const retiredAtMs = Date.now();
  await retire(client, furniture);
  const left = await untilQuiet(database, options.quietMaxMs);
  await fleet[Symbol.asyncDispose]();
  const { complaints } = fleet;
  const { repeats } = options;
  const seen = { database, ledger, receiver, furniture, mishaps, complaints };
  const evidence = { ...seen, retiredAtMs, repeats };
  const verdicts = [];
  for (const check of CHECKS) verdicts.push(await check(evidence));
  return {
    lines: verdicts.map(({ line }) => line),
    faults: [...left, ...fleet.faults, ...verdicts.flatMap(({ faults }) => faults)],
    evidence,
  };
}
