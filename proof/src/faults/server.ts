import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { withOwnerClient } from "../../../server/src/kernel/db/setup/owner-connection.ts";
import { roleNames } from "../../../server/src/kernel/db/setup/roles.ts";
import {
  type EmbeddedDatabase,
  startEmbedded,
} from "../../../server/src/kernel/embedded/embedded-database.ts";
import { parseConnectionUrl } from "../../../server/src/kernel/db/setup/owner-connection.ts";
import type { Upstream } from "../../../server/src/process/testing/proxy.ts";

/** A PostgreSQL server that the product knows only by its address. */
export class Server implements AsyncDisposable {
  readonly #folder: string;
  readonly #database: string;
  #owner: pg.ClientConfig;
  /** Undefined for an external server. */
  #own: EmbeddedDatabase | undefined;

  private constructor(
    folder: string,
    owner: pg.ClientConfig,
    database: string,
    own: EmbeddedDatabase | undefined,
  ) {
    this.#folder = folder;
    this.#owner = owner;
    this.#database = database;
    this.#own = own;
  }

  /** A separate server in a folder, or a new database on the server at the URL. */
  static async open(folder: string, url: string | undefined): Promise<Server> {
    if (url === undefined) {
      const at = join(folder, "server");
      await mkdir(at, { mode: 0o711 });
      const own = await startEmbedded({ folder: at, log: () => undefined });
      return new Server(at, own.connection, own.connection.database, own);
    }
    const owner = parseConnectionUrl(url);
    const database = `millrace_faults_${randomBytes(6).toString("hex")}`;
    await withOwnerClient(owner, (client) => client.query(`create database ${database}`));
    return new Server(folder, owner, database, undefined);
  }

  get upstream(): Upstream {
    const { host = "127.0.0.1", port = 5432 } = this.#owner;
    return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  }

  /** The product's connection URL through a local port. */
  urlAt(port: number): string {
    const { user = "", password = "" } = this.#owner;
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(String(password))}`;
    return `postgres://${login}@127.0.0.1:${port}/${this.#database}`;
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return withOwnerClient({ ...this.#owner, database: this.#database }, async (client) => {
      return (await client.query<Row>(text, values)).rows;
    });
  }

  /** fast: sessions are notified and ended. immediate: like a crash, the next start recovers. */
  async end(how: "fast" | "immediate"): Promise<void> {
    if (!this.#own) throw new Error("A server that is somebody else's is not stopped.");
    if (how === "immediate") {
      const file = join(this.#folder, "postgres/postmaster.pid");
      process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGQUIT");
      await this.#own.died;
    }
    await this.#own.stop();
  }

  async startAgain(): Promise<void> {
    this.#own = await startEmbedded({ folder: this.#folder, log: () => undefined });
    this.#owner = this.#own.connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#own) return this.#own.stop();
    await withOwnerClient(this.#owner, async (client) => {
      await client.query(`drop database ${this.#database} with (force)`);
      for (const role of Object.values(roleNames(this.#database))) {
        await client.query(`drop role if exists ${role}`);
      }
    });
  }
}
