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
  // The password used by samples.
  MILLRACE_ADMIN_PASSWORD: TEST_PASSWORD,
  MILLRACE_RATE_LIMIT: "0",
  MILLRACE_LOGIN_RATE_LIMIT: "0",
  // Some samples call a local port. All other addresses are blocked.
  MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
  MILLRACE_SMTP_URL: "smtp://127.0.0.1:9",
};

/** The product as started by `npm start`, on an embedded database that this process can read. */
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
      // As root, PostgreSQL runs as another account, which must be able to enter.
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
      // The database ends before the connections of this process.
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

  /** Its log so far. */
  get log(): string {
    return readFileSync(join(this.#folder, "product.log"), "utf8");
  }

  /** Its memory in MiB. 0 if it has ended or /proc does not exist. */
  get memoryMiB(): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
    } catch {
      return 0;
    }
  }

  /** Runs only once, although both a signal and the end of the run call it. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#ended ??= this.#end());
  }

  async #end(): Promise<void> {
    await this.#pool.end();
    await this.#child.stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Creates the cluster and its database, and stops it. Then the product uses it. */
async function prepare(dataDir: string): Promise<pg.ClientConfig> {
  const database = await startEmbedded({ folder: dataDir, log: () => undefined });
  try {
    await prepareDatabase(database.connection, ensureMasterKey(undefined, dataDir));
    return { ...database.connection };
  } finally {
    await database.stop();
  }
}
