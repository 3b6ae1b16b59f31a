import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chown, mkdir, readFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { withOwnerClient } from "../../../server/src/kernel/db/setup/owner-connection.ts";
import {
  type Account,
  isRoot,
  unprivilegedAccount,
} from "../../../server/src/kernel/embedded/account.ts";
import { childrenOf } from "../nodes/processes.ts";

const run = promisify(execFile);
const SUPERUSER = "postgres";
const TRIES_MAX = 600;
const PAUSE_MS = 50;

/** A PostgreSQL server on a Unix socket. */
export class Postgres {
  readonly folder: string;
  readonly #bin: string;
  readonly #account: Account | undefined;
  #child: ChildProcess | undefined;

  private constructor(folder: string, bin: string, account: Account | undefined) {
    this.folder = folder;
    this.#bin = bin;
    this.#account = account;
  }

  /** A new cluster, or a standby of another one. */
  static async open(folder: string, bin: string, primary?: Postgres): Promise<Postgres> {
    const account = isRoot() ? await unprivilegedAccount() : undefined;
    await mkdir(folder, { mode: 0o711 });
    if (account) await chown(folder, account.uid, account.gid);
    const postgres = new Postgres(folder, bin, account);
    const data = join(folder, "data");
    if (primary) {
      const from = ["-h", primary.folder, "-U", SUPERUSER, "-D", data];
      await postgres.#program("pg_basebackup", [...from, "-R", "-X", "stream", "-c", "fast"]);
    } else {
      const made = ["-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C"];
      await postgres.#program("initdb", [...made, "--no-sync"]);
    }
    await postgres.#start(data);
    return postgres;
  }

  async rows(database: string, text: string): Promise<any[]> {
    const way = { host: this.folder, port: 5432, user: SUPERUSER, database };
    return withOwnerClient(way, async (client) => (await client.query(text)).rows);
  }

  /** Silently stops sending its log to standbys. */
  async holdReplication(): Promise<void> {
    const [sender] = await this.rows("postgres", "select pid from pg_stat_replication");
    process.kill(sender.pid, "SIGSTOP");
  }

  /** Kills all its processes at once, like a power failure. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    for (const pid of [child.pid, ...childrenOf(child.pid)]) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // The process has already ended.
      }
    }
    await gone;
  }

  /** Promotes a standby to primary. */
  async promote(): Promise<void> {
    await this.#program("pg_ctl", ["promote", "-w", "-D", join(this.folder, "data")]);
  }

  async #start(data: string): Promise<void> {
    const settings = ["listen_addresses=", `unix_socket_directories=${this.folder}`, "fsync=off"];
    const args = ["-D", data, ...settings.flatMap((one) => ["-c", one])];
    const as = { ...this.#account, cwd: "/" };
    this.#child = spawn(join(this.#bin, "postgres"), args, { ...as, stdio: "ignore" });
    for (let tries = 0; ; tries += 1) {
      try {
        await this.rows("postgres", "select 1");
        return;
      } catch (error) {
        if (tries === TRIES_MAX) throw error;
        await pause(PAUSE_MS);
      }
    }
  }

  async #program(name: string, args: readonly string[]): Promise<void> {
    await run(join(this.#bin, name), [...args], { ...this.#account, cwd: "/" });
  }
}

/** One address for the current primary. A switch ends all connections, like a load balancer. */
export class Doorway {
  readonly port: number;
  readonly #server: Server;
  readonly #open: Set<Socket>;
  readonly #to: { folder: string };

  private constructor(server: Server, open: Set<Socket>, to: { folder: string }) {
    this.#server = server;
    this.#open = open;
    this.#to = to;
    const address = server.address();
    this.port = typeof address === "object" && address ? address.port : 0;
  }

  static async open({ folder }: Postgres): Promise<Doorway> {
    const open = new Set<Socket>();
    const to = { folder };
    const server = createServer((near) => {
      const far = connect(join(to.folder, ".s.PGSQL.5432"));
      for (const [from, into] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(from);
        from.on("error", () => into.destroy());
        from.on("close", () => {
          open.delete(from);
          into.destroy();
        });
        from.pipe(into);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Doorway(server, open, to);
  }

  lead({ folder }: Postgres): void {
    this.#to.folder = folder;
    for (const socket of this.#open) socket.destroy();
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }
}

/** The lines of a log that contain a text. */
export async function linesWith(file: string, text: string): Promise<readonly string[]> {
  return (await readFile(file, "utf8")).split("\n").filter((line) => line.includes(text));
}
