import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Child, startChild } from "../../../bench/src/child.ts";
import { ensureMasterKey } from "../../../server/src/kernel/access/crypto.ts";
import { prepareDatabase } from "../../../server/src/kernel/db/setup/prepare-database.ts";
import { startEmbedded } from "../../../server/src/kernel/embedded/embedded-database.ts";
import { TEST_PASSWORD } from "../../../server/src/kernel/testing/database.ts";
import type { Target } from "./world.ts";

const START = join(import.meta.dirname, "../../../server/start.mjs");
const ENV = {
  // As samples have it.
  MILLRACE_ADMIN_PASSWORD: TEST_PASSWORD,
  MILLRACE_RATE_LIMIT: "0",
  MILLRACE_LOGIN_RATE_LIMIT: "0",
  // Some samples are answered from a port of this machine, and nobody else is reached.
  MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
  MILLRACE_SMTP_URL: "smtp://127.0.0.1:9",
};

/** The product as `npm start` has it, on an embedded database that this process can look into. */
export class Product implements Target, AsyncDisposable {
  readonly nowMs = (): number => Date.now();
  readonly #folder: string;
  readonly #pool: pg.Pool;
  readonly #child: Child;
  #ended: Promise<void> | undefined;

  private constructor(folder: string, pool: pg.Pool, child: Child) {
    this.#folder = folder;
    this.#pool = pool;
    this.#child = child;
  }

  static async start(): Promise<Product> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-fuzz-")));
    try {
      // As root, PostgreSQL runs as another account, which has to get in.
      await chmod(folder, 0o711);
      const dataDir = join(folder, "data");
      await mkdir(dataDir, { mode: 0o711 });
      const connection = await prepare(dataDir);
      const child = await startChild({
        args: ["--max-semi-space-size=8", "--scavenger-max-new-space-capacity-mb=8", START],
        env: { ...ENV, MILLRACE_DATA_DIR: dataDir },
        logFile: join(folder, "product.log"),
      });
      const pool = new pg.Pool({ ...connection, max: 4 });
      // The database ends before its connections here do.
      pool.on("error", () => undefined);
      return new Product(folder, pool, child);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#child.port}`;
  }

  readonly sql = async (
    text: string,
    values: unknown[] = [],
  ): Promise<Record<string, unknown>[]> => {
    const { rows } = await this.#pool.query<Record<string, unknown>>(text, values);
    return rows;
  };

  /** What it has written so far. */
  get log(): string {
    return readFileSync(join(this.#folder, "product.log"), "utf8");
  }

  /** How much memory it takes, in mebibytes; 0 when it is gone, or where there is no /proc. */
  get memoryMiB(): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
    } catch {
      return 0;
    }
  }

  /** However often it is asked for, by a signal and by the end of the run, it is done once. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#ended ??= this.#end());
  }

  async #end(): Promise<void> {
    await this.#pool.end();
    await this.#child.stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Makes the cluster and its database, and ends it again: from here on it is the product's. */
async function prepare(dataDir: string): Promise<pg.ClientConfig> {
  const database = await startEmbedded({ folder: dataDir, log: () => undefined });
  try {
    await prepareDatabase(database.connection, ensureMasterKey(undefined, dataDir));
    return { ...database.connection };
  } finally {
    await database.stop();
  }
}
