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

/** What a product has used in a while. */
export interface Cost {
  readonly cpu: Cpu;
  readonly walBytes: number;
}

const COUNTER = join(import.meta.dirname, "wire-counts.ts");

/**
 * Nothing but the requests may use processor time in some rounds and not in others: no vacuum in the background, and
 * no checkpoint after which each page is written to the log once more.
 */
const QUIET_SQL = [
  "alter system set autovacuum = off",
  "alter system set checkpoint_timeout = '1d'",
  "alter system set max_wal_size = '16GB'",
  "select pg_reload_conf()",
];

/** The product of one revision, with a data folder and an embedded PostgreSQL of its own. */
export class ProductSide {
  readonly checkout: Checkout;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: Child | undefined;
  #connection: pg.Client | undefined;
  #connectionPid: number | undefined;
  #token: string | undefined;
  /** From the spawn to ready, of each start on a database that existed. */
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

  /** Starts the product as `npm start` of its revision does, and counts what it sends where that is asked for. */
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

  /** One statement as the owner of the database; its processor time is not counted. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    if (!this.#connection) throw new Error("The product is not running.");
    return (await this.#connection.query<Row>(text, values)).rows;
  }

  /** Begins to measure; what is returned ends it, and resolves to what the processes have used in between. */
  async begin(): Promise<() => Promise<Cost>> {
    const walBefore = await this.#walPosition();
    const before = this.#snapshot();
    return async () => {
      const cpu = cpuBetween(before, this.#snapshot());
      return { cpu, walBytes: (await this.#walPosition()) - walBefore };
    };
  }

  /** What has been sent to PostgreSQL since the start; only where that is counted. */
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
    // PostgreSQL works in the folder of its cluster, and writes there where it listens.
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
    // An end of the server is an error of the next query.
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
