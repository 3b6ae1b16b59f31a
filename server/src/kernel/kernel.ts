import type { Logger } from "pino";
import { Clock } from "./clock.ts";
import { Authenticator } from "./authenticator.ts";
import type { MasterKey } from "./crypto.ts";
import { Database } from "./db/database.ts";
import type { PreparedDatabase } from "./db/prepare.ts";
import type { Domain } from "./domain.ts";
import { newId } from "./id.ts";
import { pruneIdempotencyKeys } from "./idempotency.ts";
import { Loop } from "./loop.ts";
import { describeEvents } from "./openapi.ts";
import { News } from "./news.ts";
import { Outbound } from "./outbound/outbound.ts";
import { Cursors } from "./page.ts";
import { RateLimit } from "./rate-limit.ts";
import { advance, type Reader, registerReaders } from "./reader.ts";
import type { Settings } from "./settings.ts";
import { Signal } from "./signal.ts";
import { Worker } from "./worker.ts";
import type { Outside } from "./caller.ts";
import { WorkspaceKeys } from "./workspace-keys.ts";

const CALIBRATE_MS = 60_000;
/** At least this long between two looks at the log: under load each then finds many events. */
const GATHER_MS = 4;

export interface KernelOptions {
  readonly database: PreparedDatabase;
  readonly settings: Settings;
  readonly masterKey: MasterKey;
  readonly domains: readonly Domain[];
  readonly log: Logger;
  readonly clock?: Clock;
}

export interface Kernel extends Outside {
  readonly signal: Signal;
  readonly authenticator: Authenticator;
  readonly log: Logger;
  readonly domains: readonly Domain[];
  /** True from the moment that it was told to end. */
  readonly draining: boolean;
  /** Tells load balancers to send nothing more. */
  drain(): void;
  /** Begins to react to the log and to carry out jobs. */
  startWork(): Promise<void>;
  /** Ends what is under way, then closes the database. */
  close(): Promise<void>;
}

/** Opens the database and assembles what operations, readers and jobs work with. */
export async function openKernel(options: KernelOptions): Promise<Kernel> {
  const { settings, masterKey, domains, log } = options;
  const onError = (error: unknown): void => log.error(error);
  const db = new Database({ ...options.database, poolMax: settings.databasePool, onError });
  const clock = options.clock ?? new Clock();
  const [installation] = await db.system<{ epoch: number; home_workspace_id: string }>(
    "select epoch, home_workspace_id from installation",
  );
  if (!installation) throw new Error("The database was not prepared.");
  const signal = new Signal(db, newId("node"), onError);
  const calibration = new Loop(() => calibrate(db, clock), onError);
  const reading: Loop[] = [];
  let draining = false;
  let working: { readonly worker: Worker; readonly loop: Loop } | undefined;

  const kernel: Kernel = {
    clock,
    settings,
    masterKey,
    db,
    signal,
    log,
    domains,
    epoch: installation.epoch,
    keys: new WorkspaceKeys(db, masterKey),
    cursors: new Cursors(masterKey.derive("cursors")),
    news: new News(db, installation.epoch),
    throttle: new RateLimit(() => clock.nowMs()),
    homeWorkspace: installation.home_workspace_id,
    counters: domains.flatMap(({ counters = [] }) => counters),
    eventTypes: describeEvents(domains),
    permissions: domains.flatMap(({ permissions }) => permissions),
    outbound: new Outbound({
      allow: settings.outboundAllow,
      ...(settings.outboundCaPem !== undefined && { extraCaPem: settings.outboundCaPem }),
    }),
    get authenticator() {
      return authenticator;
    },
    get draining() {
      return draining;
    },
    drain() {
      draining = true;
    },
    async startWork() {
      const readers = domains.flatMap((domain) => domain.readers ?? []);
      await registerReaders(kernel, readers);
      reading.push(...readers.map((one) => readerLoop(kernel, one)));
      working = await startWorker(kernel);
    },
    async close() {
      const loops = [
        calibration,
        touching,
        following,
        ...reading,
        ...(working ? [working.loop] : []),
      ];
      await Promise.all(loops.map((loop) => loop.stop()));
      await authenticator.touch();
      await working?.worker.drain();
      await signal.close();
      await kernel.outbound.close();
      await db.close();
    },
  };
  const authenticator = new Authenticator(
    kernel,
    domains.flatMap(({ credentials = [] }) => credentials),
  );
  const touching = new Loop(() => authenticator.touch(), onError);
  const following = new Loop(() => kernel.news.catchUp(), onError, GATHER_MS);
  signal.subscribe((what) => {
    if (what === "events") following.wake();
    if (what === "jobs") working?.loop.wake();
    else for (const loop of reading) loop.wake();
  });
  // From here on no change on another node goes unnoticed by a cache.
  await kernel.news.catchUp();
  signal.listen();
  return kernel;
}

function readerLoop(kernel: Kernel, one: Reader): Loop {
  return new Loop(
    () => advance(kernel, one),
    (error) => kernel.log.error({ err: error, reader: one.name }, "a reader failed"),
    GATHER_MS,
  );
}

async function startWorker(kernel: Kernel) {
  const worker = new Worker({
    outside: kernel,
    jobs: [pruneIdempotencyKeys, ...kernel.domains.flatMap((domain) => domain.jobs ?? [])],
    onFailure: (kind, error) => kernel.log.warn({ err: error, job: kind }, "a job failed"),
  });
  await worker.register();
  const loop = new Loop(
    () => worker.step(),
    (error) => kernel.log.error({ err: error }, "jobs can't be claimed"),
    GATHER_MS,
  );
  worker.onFree = () => loop.wake();
  return { worker, loop };
}

async function calibrate(db: Database, clock: Clock): Promise<number> {
  const sentAt = performance.now();
  const [row] = await db.system<{ ms: number }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
  );
  if (row) clock.calibrate(row.ms, sentAt);
  return CALIBRATE_MS;
}
