import { execFile, spawn } from "node:child_process";
import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type pg from "pg";
import { withOwnerClient } from "../../../server/src/kernel/db/setup/owner-connection.ts";
import {
  type Account,
  isRoot,
  unprivilegedAccount,
} from "../../../server/src/kernel/embedded/account.ts";

const run = promisify(execFile);
const READY_TRIES_MAX = 400;
const READY_PAUSE_MS = 50;
/** The superuser created by initdb. */
export const SUPERUSER = "postgres";

/** A separate cluster, created and run with an installed PostgreSQL. */
export class Cluster implements AsyncDisposable {
  readonly folder: string;
  readonly #bin: string;
  readonly #account: Account | undefined;
  readonly #end: () => Promise<void>;

  private constructor(
    folder: string,
    { bin, account }: { bin: string; account: Account | undefined },
    end: () => Promise<void>,
  ) {
    this.folder = folder;
    this.#bin = bin;
    this.#account = account;
    this.#end = end;
  }

  static async open(folder: string, bin: string): Promise<Cluster> {
    const account = isRoot() ? await unprivilegedAccount() : undefined;
    await mkdir(folder, { mode: 0o711 });
    if (account) await chown(folder, account.uid, account.gid);
    const data = join(folder, "data");
    const as = { ...account, cwd: "/" };
    const made = ["-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C"];
    await run(join(bin, "initdb"), [...made, "--no-sync"], as);
    const settings = ["listen_addresses=", "fsync=off", `unix_socket_directories=${folder}`];
    const args = ["-D", data, ...settings.flatMap((one) => ["-c", one])];
    const child = spawn(join(bin, "postgres"), args, { ...as, stdio: "ignore" });
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const cluster = new Cluster(folder, { bin, account }, async () => {
      child.kill("SIGINT");
      await gone;
    });
    await cluster.#ready();
    return cluster;
  }

  /** The superuser's connection to a database. */
  way(database: string): pg.ClientConfig {
    return { host: this.folder, port: 5432, user: SUPERUSER, database };
  }

  /** The connection URL for the product, with a role that is not a superuser. */
  url(role: string, database: string): string {
    return `postgres://${role}@/${database}?host=${encodeURIComponent(this.folder)}`;
  }

  async rows(database: string, text: string): Promise<any[]> {
    return withOwnerClient(this.way(database), async (client) => (await client.query(text)).rows);
  }

  /** Runs a PostgreSQL program as documented. */
  async program(name: string, args: readonly string[]): Promise<void> {
    const env = { PGHOST: this.folder, PGUSER: SUPERUSER, PATH: process.env["PATH"] };
    await run(join(this.#bin, name), [...args], { ...this.#account, cwd: this.folder, env });
  }

  /** Consumes transaction ids. */
  async age(transactions: number): Promise<void> {
    await this.rows(
      "postgres",
      `do $$ begin for n in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop; end $$`,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end();
  }

  async #ready(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await this.rows("postgres", "select 1");
        return;
      } catch (error) {
        if (tries === READY_TRIES_MAX) throw error;
        await pause(READY_PAUSE_MS);
      }
    }
  }
}
