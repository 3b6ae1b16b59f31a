import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, readlink } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { OWNER_ROLE } from "../../../server/src/kernel/embedded/cluster.ts";
import { DATABASE } from "../../../server/src/kernel/embedded/embedded-database.ts";
import { type Child, startChild } from "../child.ts";
import { logIn, PASSWORD } from "../rig.ts";
import type { Checkout } from "./checkout.ts";
import { type Cpu, cpuBetween, findPostmaster, type Snapshot, takeSnapshot } from "./cpu.ts";
import type { WireCounts } from "./wire-counter.ts";

/** The resources used by a product in a period. */
export interface Cost {
  readonly cpu: Cpu;
  readonly walBytes: number;
}

const COUNTER = join(import.meta.dirname, "wire-counts.ts");

/**
 * Disables background work that would use CPU time in some rounds only: autovacuum, and checkpoints, after which each
 * page is logged completely once.
 */
const QUIET_SQL = [
  "alter system set autovacuum = off",
  "alter system set checkpoint_timeout = '1d'",
  "alter system set max_wal_size = '16GB'",
  "select pg_reload_conf()",
];

/** The product of one revision, with a separate data folder and embedded PostgreSQL. */
export class ProductSide {
  readonly checkout: Checkout;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: Child | undefined;
  #connection: pg.Client | undefined;
  #connectionPid: number | undefined;
  #token: string | undefined;
  /** From the spawn to ready, for each start on an existing database. */
  readonly startsMs: number[] = [];

  constructor(checkout: Checkout, folder: string, env: Readonly<Record<string, string>>) {
    this.checkout = checkout;
    this.#folder = folder;
    this.#env = env;
  }

  get port(): number {
    return this.#running().port;
  }

  /** A token of the first owner, which stays valid across starts. */
  get token(): string {
    if (this.#token === undefined) throw new Error("The product has not been started.");
    return this.#token;
  }

  /** Starts the product like `npm start` of its revision, optionally counting its SQL traffic. */
  async start(options: { readonly counts?: boolean } = {}): Promise<void> {
    const { folder, startFlags, bundle, console } = this.checkout;
    const dataDir = join(this.#folder, "data");
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    const isFirst = !existsSync(join(dataDir, "postgres.password"));
    const preload = options.counts ? ["--import", COUNTER] : [];
    this.#child = await startChild({
      args: [...startFlags, ...preload, join(folder, "server/start.mjs")],
      env: {
        MILLRACE_DATA_DIR: dataDir,
        MILLRACE_BUNDLE: bundle,
        MILLRACE_CONSOLE: console,
        MILLRACE_ADMIN_PASSWORD: PASSWORD,
        MILLRACE_RATE_LIMIT: "0",
        MILLRACE_LOGIN_RATE_LIMIT: "0",
        ...(options.counts && { BENCH_COUNTS: this.#countsSocket }),
        ...this.#env,
      },
      logFile: join(this.#folder, "product.log"),
      cwd: folder,
    });
    if (!isFirst) this.startsMs.push(this.#child.readyMs);
    await this.#connect(dataDir);
    if (isFirst) for (const sql of QUIET_SQL) await this.query(sql);
    this.#token ??= await logIn(this.port);
  }

  async stop(): Promise<void> {
    await this.#connection?.end().catch(() => undefined);
    await this.#child?.stop();
    this.#child = undefined;
    this.#connection = undefined;
  }

  /** Runs one statement as the owner of the database. Its CPU time is not counted. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    if (!this.#connection) throw new Error("The product is not running.");
    return (await this.#connection.query<Row>(text, values)).rows;
  }

  /** Starts a measurement. The returned function ends it and resolves to the used resources. */
  async begin(): Promise<() => Promise<Cost>> {
    const walBefore = await this.#walPosition();
    const before = this.#snapshot();
    return async () => {
      const cpu = cpuBetween(before, this.#snapshot());
      return { cpu, walBytes: (await this.#walPosition()) - walBefore };
    };
  }

  /** The SQL traffic since the start. Only if counting is enabled. */
  counts(): Promise<WireCounts> {
    return new Promise((resolve, reject) => {
      request({ socketPath: this.#countsSocket }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.once("end", () => resolve(JSON.parse(text) as WireCounts));
      })
        .once("error", reject)
        .end();
    });
  }

  /** Resident memory of the Node process, in MB. */
  get residentMb(): number {
    const status = readFileSync(`/proc/${this.#running().pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1000;
  }

  get #countsSocket(): string {
    return join(this.#folder, "counts.sock");
  }

  #running(): Child {
    if (!this.#child) throw new Error("The product is not running.");
    return this.#child;
  }

  #snapshot(): Snapshot {
    return takeSnapshot(this.#running().pid, this.#connectionPid);
  }

  async #connect(dataDir: string): Promise<void> {
    // PostgreSQL runs in its cluster folder and writes its socket address there.
    const cluster = await readlink(`/proc/${findPostmaster(this.#running().pid)}/cwd`);
    const lines = (await readFile(join(cluster, "postmaster.pid"), "utf8")).split("\n");
    const [, , , port, host = ""] = lines;
    const password = (await readFile(join(dataDir, "postgres.password"), "utf8")).trim();
    this.#connection = new pg.Client({
      host,
      port: Number(port),
      user: OWNER_ROLE,
      password,
      database: DATABASE,
    });
    // If the server ends, the next query reports the error.
    this.#connection.on("error", () => undefined);
    await this.#connection.connect();
    const [row] = await this.query<{ pid: number }>("select pg_backend_pid() as pid");
    this.#connectionPid = row?.pid;
  }

  async #walPosition(): Promise<number> {
    const sql = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes";
    const [row] = await this.query<{ bytes: number }>(sql);
    return row?.bytes ?? Number.NaN;
  }
}
