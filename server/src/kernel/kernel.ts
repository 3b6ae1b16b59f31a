import type { Logger } from "pino";
import { Authenticator } from "./access/authenticator.ts";
import type { Platform, Domain, Engine, RunningEngine, Operation, Reader } from "./contract.ts";
import { BlobStores } from "./blob-store/blob-places.ts";
import { Clock } from "./clock.ts";
import type { MasterKey } from "./access/crypto.ts";
import { Database } from "./db/database.ts";
import type { PreparedDatabase } from "./db/setup/prepare-database.ts";
import { ReaderGroup } from "./readers/reader-group.ts";
import type { Embedder } from "./embedding/embedder.ts";
import { Embeddings } from "./embedding/embeddings.ts";
import { type Contribution, contributionsTo } from "./extension-point.ts";
import { newId } from "./schema/id.ts";
import { idempotencyRetentionJob } from "./operation/idempotency.ts";
import type { Evaluator } from "./expression/pool/evaluator.ts";
import { ExpressionPool } from "./expression/pool/pool.ts";
import { Loop } from "./work/loop.ts";
import type { IdleProcesses } from "./work/subprocess.ts";
import { Maintenance } from "./access/maintenance.ts";
import { Mailer } from "./mail/mailer.ts";
import { LogTail } from "./monitor/log-tail.ts";
import { ProcessMonitor } from "./monitor/process-monitor.ts";
import { sendMail } from "./mail/send-mail.ts";
import { CommitFeed } from "./readers/commit-feed.ts";
import type { EpochChange } from "./readers/lost-events.ts";
import { describeEvents } from "./operation/description/describe-events.ts";
import type { CatalogEntry } from "./log/event.ts";
import { OWN_PATH, Outbound } from "./outbound/outbound.ts";
import { Cursors } from "./operation/pagination.ts";
import type { Permission } from "./access/permission.ts";
import { deadLetterRetentionJob, eventRetentionJob } from "./log/retention.ts";
import { RateLimit } from "./access/rate-limit.ts";
import { registerReaders } from "./readers/reader.ts";
import { ScriptLibraryPoint } from "./sandbox/library/script-library.ts";
import { Sandbox } from "./sandbox/sandbox.ts";
import type { ProcessSlot } from "./sandbox/process-slot.ts";
import { Secrets } from "./secrets/secrets.ts";
import { publicUrl, type Settings } from "./settings.ts";
import { openTelemetry, type Telemetry } from "./telemetry/telemetry.ts";
import { WakeSignal } from "./readers/wake-signal.ts";
import { JobWorker } from "./work/job-worker.ts";
import { WorkspaceKeys } from "./access/workspace-keys.ts";

const CALIBRATE_MS = 60_000;
/** The pause between two reads of the log, so that each read finds many events under load. */
const BATCH_PAUSE_MS = 4;
/** Commits of this process are announced immediately; for other nodes this delay is acceptable. */
const FEED_PAUSE_MS = 20;

/** Event catalogs are cached per list of domains, for all kernels. */
const described = new WeakMap<readonly Domain[], readonly CatalogEntry[]>();

export interface KernelOptions {
  readonly database: PreparedDatabase;
  readonly settings: Settings;
  readonly masterKey: MasterKey;
  readonly domains: readonly Domain[];
  readonly log: Logger;
  readonly clock?: Clock;
  /** The last lines of the log, if they can be read in the console. */
  readonly logTail?: LogTail;
  /** Processes that survive this kernel for the next one in the same program. */
  readonly idleProcesses?: IdlePools;
}

export interface IdlePools {
  readonly evaluators: IdleProcesses<Evaluator>;
  readonly scripts: IdleProcesses<ProcessSlot>;
  readonly embedders: IdleProcesses<Embedder>;
}

interface Installation {
  readonly home_workspace_id: string;
  readonly server_version: number;
}

/** Parts that are created before the kernel. */
interface Opened extends Installation {
  readonly telemetry: Telemetry | undefined;
}

/** The platform of one process from start to close: runs operations, readers, jobs and engines. */
export class Kernel implements Platform {
  readonly settings: Settings;
  readonly masterKey: MasterKey;
  readonly domains: readonly Domain[];
  readonly log: Logger;
  readonly clock: Clock;
  readonly db: Database;
  readonly serverVersion: number;
  readonly homeWorkspace: string;
  readonly wakeSignal: WakeSignal;
  readonly commitFeed: CommitFeed;
  readonly keys: WorkspaceKeys;
  readonly secrets: Secrets;
  readonly cursors: Cursors;
  readonly outbound: Outbound;
  readonly rateLimit: RateLimit;
  readonly mailer: Mailer;
  readonly readers: readonly Reader[];
  readonly readerNames: readonly string[];
  readonly contributions: readonly Contribution[];
  readonly permissions: readonly Permission[];
  readonly authenticator: Authenticator;
  readonly maintenance: Maintenance;
  readonly monitor: ProcessMonitor;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly expressions: ExpressionPool;
  readonly embeddings: Embeddings;
  readonly blobStores: BlobStores;
  readonly sandbox: Sandbox;
  readonly telemetry: Telemetry | undefined;
  readonly #serviceLoops: Loop[] = [];
  readonly #readerLoops: Loop[] = [];
  readonly #engines = new Map<Engine, RunningEngine>();
  readonly #shutdownController = new AbortController();
  #leaving = false;
  #lostEvents = 0;
  #jobs: { readonly worker: JobWorker; readonly loop: Loop } | undefined;

  static async open(options: KernelOptions): Promise<Kernel> {
    const onError = (error: Error): void => options.log.error(error);
    const poolMax = options.settings.databasePool;
    const transactionTimeoutMs = options.settings.transactionTimeoutSeconds * 1_000;
    const db = new Database({ ...options.database, poolMax, transactionTimeoutMs, onError });
    const [installation] = await db.system<Installation>(
      `select home_workspace_id, current_setting('server_version_num')::int as server_version
         from installation`,
    );
    if (!installation) throw new Error("The database was not prepared.");
    const telemetry = await openTelemetry(options.settings);
    const kernel = new Kernel(options, db, { ...installation, telemetry });
    await kernel.#calibrate();
    // From here on, caches see every change of other nodes.
    await kernel.commitFeed.catchUp();
    await kernel.maintenance.load();
    kernel.#startLoops();
    return kernel;
  }

  private constructor(options: KernelOptions, db: Database, installation: Opened) {
    const { settings, masterKey, domains, log } = options;
    this.settings = settings;
    this.masterKey = masterKey;
    this.domains = domains;
    this.log = log;
    this.db = db;
    this.telemetry = installation.telemetry;
    this.clock = options.clock ?? new Clock();
    this.serverVersion = installation.server_version;
    this.homeWorkspace = installation.home_workspace_id;
    this.wakeSignal = new WakeSignal(db, newId("node"), (error) => log.error(error));
    this.commitFeed = new CommitFeed(db, (change) => this.#noteEpoch(change));
    this.maintenance = new Maintenance(db, this.commitFeed, (error) => log.error(error));
    this.monitor = new ProcessMonitor(options.logTail ?? new LogTail());
    this.keys = new WorkspaceKeys(db, masterKey);
    this.secrets = new Secrets(db, this.keys);
    this.cursors = new Cursors(masterKey.derive("cursors"));
    this.mailer = new Mailer({
      smtpUrl: settings.smtpUrl,
      from: settings.mailFrom,
      replyTo: settings.mailReplyTo,
    });
    this.rateLimit = new RateLimit(() => this.clock.nowMs());
    this.readers = domains.flatMap(({ readers = [] }) => readers);
    this.readerNames = this.readers.map(({ name }) => name);
    this.contributions = domains.flatMap(({ contributions = [] }) => contributions);
    this.operations = new Map(
      domains.flatMap(({ operations }) => operations).map((op) => [op.id, op]),
    );
    this.permissions = domains.flatMap(({ permissions }) => permissions);
    this.outbound = new Outbound({
      allow: settings.outboundAllow,
      ownPlace: `${publicUrl({ settings })}${OWN_PATH}`,
      ...(settings.outboundCaPem !== undefined && { extraCaPem: settings.outboundCaPem }),
    });
    this.blobStores = new BlobStores(settings);
    this.expressions = new ExpressionPool({ idleProcesses: options.idleProcesses?.evaluators });
    this.embeddings = new Embeddings({ idleProcesses: options.idleProcesses?.embedders });
    this.sandbox = new Sandbox({
      idleProcesses: options.idleProcesses?.scripts,
      libraries: contributionsTo(ScriptLibraryPoint, this.contributions),
      onError: (error) => log.error({ err: error }, "a script's call failed"),
    });
    this.authenticator = new Authenticator(this);
  }

  /** Computed on the first access. */
  get eventTypes(): readonly CatalogEntry[] {
    const known = described.get(this.domains) ?? describeEvents(this.domains);
    described.set(this.domains, known);
    return known;
  }

  /** True during shutdown. */
  get draining(): boolean {
    return this.shutdown.aborted;
  }

  /** True when load balancers should stop sending requests, although it still serves them. */
  get leaving(): boolean {
    return this.#leaving;
  }

  /** The number of events seen by this process that the restored database no longer contains. */
  get lostEvents(): number {
    return this.#lostEvents;
  }

  get shutdown(): AbortSignal {
    return this.#shutdownController.signal;
  }

  /** Makes load balancers stop sending requests. */
  leave(): void {
    this.#leaving = true;
  }

  /** Rejects new requests and ends waiting ones. */
  drain(): void {
    this.#leaving = true;
    this.#shutdownController.abort();
  }

  engineOf<T extends RunningEngine>(engine: Engine<T>): T | undefined {
    // The map contains the running instance of each engine.
    return this.#engines.get(engine) as T | undefined;
  }

  /** Starts readers, engines and the job worker. */
  async startWork(): Promise<void> {
    const readers = this.domains.flatMap((domain) => domain.readers ?? []);
    await registerReaders(this, readers);
    for (const engine of this.domains.flatMap(({ engines = [] }) => engines)) {
      this.#engines.set(engine, engine.start(this));
    }
    if (readers.length > 0) this.#readerLoops.push(this.#readerLoop(readers));
    this.#jobs = await this.#startWorker();
  }

  /** Ends all work in progress, then closes the database. */
  async close(): Promise<void> {
    const loops = [
      ...this.#serviceLoops,
      ...this.#readerLoops,
      ...(this.#jobs ? [this.#jobs.loop] : []),
    ];
    await Promise.all(loops.map((loop) => loop.stop()));
    await Promise.all([...this.#engines.values()].map((engine) => engine.stop()));
    await this.#jobs?.worker.drain();
    await this.authenticator.touch();
    await this.secrets.touch();
    await this.wakeSignal.close();
    await Promise.all([this.expressions.close(), this.sandbox.close(), this.embeddings.close()]);
    await Promise.all([this.outbound.close(), this.blobStores.close()]);
    this.mailer.close();
    await this.db.close();
    await this.telemetry?.close();
  }

  /** Logs the loss for the operator, who can look for the lost data. */
  #noteEpoch({ epoch, seen, lost, last }: EpochChange): void {
    this.#lostEvents += lost.length;
    const about = { epoch, seen, lost: lost.length, firstLost: lost[0], lastLost: lost.at(-1) };
    const left = { lastEvent: last?.id, lastEventAt: last?.at };
    if (lost.length === 0) {
      this.log.warn(
        { ...about, ...left },
        "the database has a different history: starting a new epoch",
      );
    } else {
      this.log.error(
        { ...about, ...left },
        "committed events are lost: the database took over, or was restored, without them",
      );
    }
  }

  #startLoops(): void {
    const onError = (error: unknown): void => this.log.error(error);
    const feed = new Loop(() => this.commitFeed.catchUp(), onError, FEED_PAUSE_MS);
    this.#serviceLoops.push(
      feed,
      new Loop(() => this.#calibrate(), onError),
      new Loop(() => this.authenticator.touch(), onError),
      new Loop(() => this.secrets.touch(), onError),
    );
    this.wakeSignal.subscribe((work, from) => {
      if (work === "jobs") this.#jobs?.loop.wake();
      if (work !== "events") return;
      // Commits of this process were already announced.
      if (from === "elsewhere") feed.wake();
      for (const loop of this.#readerLoops) loop.wake();
    });
    this.wakeSignal.listen();
  }

  #readerLoop(readers: readonly Reader[]): Loop {
    const group = new ReaderGroup({
      platform: this,
      readers,
      onFailure: ({ name }, error) =>
        this.log.error({ err: error, reader: name }, "a reader failed"),
      onDeadLetter: ({ name }, error) =>
        this.log.error({ err: error, reader: name }, "an event became a dead letter"),
    });
    return new Loop(
      () => group.step(),
      (error) => this.log.error({ err: error }, "the log can't be read"),
      BATCH_PAUSE_MS,
    );
  }

  async #startWorker(): Promise<{ readonly worker: JobWorker; readonly loop: Loop }> {
    const worker = new JobWorker({
      platform: this,
      jobs: [
        idempotencyRetentionJob,
        eventRetentionJob,
        deadLetterRetentionJob,
        sendMail,
        ...this.domains.flatMap((domain) => domain.jobs ?? []),
      ],
      onFailure: (kind, error) => this.log.warn({ err: error, job: kind }, "a job failed"),
    });
    await worker.register();
    const loop = new Loop(
      () => worker.step(),
      (error) => this.log.error({ err: error }, "jobs can't be claimed"),
      BATCH_PAUSE_MS,
    );
    worker.onFree = () => loop.wake();
    return { worker, loop };
  }

  async #calibrate(): Promise<number> {
    const sentAt = performance.now();
    const [row] = await this.db.system<{ ms: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
    );
    if (row) this.clock.calibrate(row.ms, sentAt);
    return CALIBRATE_MS;
  }
}
