import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { startEmbedded } from "../../../server/src/kernel/embedded/embedded-database.ts";
import { parseConnectionUrl } from "../../../server/src/kernel/db/setup/owner-connection.ts";

const ROOT = join(import.meta.dirname, "../../..");
const READY_MAX_MS = 180_000;
const END_MAX_MS = 120_000;
const POLL_MS = 50;
export const PASSWORD = "a password for the proof";

export interface SiteOptions {
  /** An existing server. Default: an embedded one. */
  readonly databaseUrl: string | undefined;
  readonly through: "pooler" | "postgres";
  readonly apis: number;
  readonly workers: number;
  /** Aborted when everything should end. */
  readonly stop: AbortSignal;
}

/** An installation as described in docs/guide/scale.md, with the original files of deploy/. */
export class Site implements AsyncDisposable {
  /** The address of the proxy. */
  address = "";
  readonly #undo = new AsyncDisposableStack();
  readonly #folder: string;
  readonly #stop: AbortSignal;
  #scale: ChildProcess | undefined;

  private constructor(folder: string, stop: AbortSignal) {
    this.#folder = folder;
    this.#stop = stop;
    this.#undo.defer(() => rm(folder, { recursive: true, force: true }));
  }

  static async open(options: SiteOptions): Promise<Site> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-proxy-")));
    await chmod(folder, 0o755);
    const site = new Site(folder, options.stop);
    try {
      await site.#begin(options);
      return site;
    } catch (error) {
      await site[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Restarts the processes one by one. Resolves when all of them are ready again. */
  async renew(times: number): Promise<void> {
    this.#scale?.kill("SIGHUP");
    await this.#says("all were restarted", times);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }

  async #begin({ databaseUrl, through, apis, workers }: SiteOptions): Promise<void> {
    const url = databaseUrl ?? (await this.#database());
    const [port, proxyPort, poolerPort] = [
      await freePorts(200),
      await freePorts(1),
      await freePorts(1),
    ];
    const env = {
      PATH: process.env["PATH"],
      DATABASE_URL: url,
      MILLRACE_DATA_DIR: join(this.#folder, "node"),
      MILLRACE_MASTER_KEY: randomBytes(32).toString("base64"),
      MILLRACE_ADMIN_PASSWORD: PASSWORD,
      MILLRACE_RATE_LIMIT: "0",
      MILLRACE_LOGIN_RATE_LIMIT: "0",
      MILLRACE_LOG_LEVEL: "warn",
    };
    if (through === "pooler") await this.#pooler(env, parseConnectionUrl(url), poolerPort);
    const pooler = { MILLRACE_DATABASE_POOLER: poolerUrl(url, poolerPort) };
    const words = ["--api", apis, "--worker", workers, "--port", port, "--worker-port", port + 100];
    this.#scale = this.#start("scale", process.execPath, {
      args: [join(ROOT, "deploy/src/main.ts"), ...words.map(String)],
      env: { ...env, ...(through === "pooler" && pooler) },
    });
    await this.#says("SIGHUP to process", 1);
    await this.#proxy(port, proxyPort, apis);
  }

  async #database(): Promise<string> {
    const database = await startEmbedded({
      folder: join(this.#folder, "data"),
      log: () => undefined,
    });
    this.#undo.defer(() => database.stop());
    const { host, port, user, password, database: name } = database.connection;
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    return `postgres://${login}@/${name}?host=${encodeURIComponent(host)}&port=${port}`;
  }

  /** deploy/pgbouncer.ini, with the paths of this machine. */
  async #pooler(env: NodeJS.ProcessEnv, server: pg.ClientConfig, port: number): Promise<void> {
    // The first start creates the logins.
    await this.#startOnce(env);
    const millrace = join(ROOT, "server/millrace.mjs");
    const users = execFileSync(process.execPath, [millrace, "pooler-users"], { env });
    const folder = join(this.#folder, "pooler");
    await mkdir(folder);
    const list = join(folder, "userlist.txt");
    const file = join(folder, "pgbouncer.ini");
    const text = readFileSync(join(ROOT, "deploy/pgbouncer.ini"), "utf8")
      .replace(/^millrace = .*$/m, `* = host=${server.host} port=${server.port ?? 5432}`)
      .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
      .replace("/etc/pgbouncer/userlist.txt", list)
      .replaceAll(/\/var\/(run|log)\/postgresql/g, folder);
    await writeFile(list, users);
    await writeFile(file, text);
    const as = await accountFor(server.host ?? "", [list, file, folder]);
    const child = this.#start("pgbouncer", "pgbouncer", { args: [...as, file], env });
    await this.#listens("pgbouncer", child, port);
  }

  async #startOnce(env: NodeJS.ProcessEnv): Promise<void> {
    const first = this.#start("first", process.execPath, {
      args: [join(ROOT, "server/start.mjs")],
      env: { ...env, PORT: "0" },
    });
    await this.#says("Millrace is ready", 1, "first");
    await end(first);
  }

  /** deploy/haproxy.cfg, with the ports of this run. */
  async #proxy(port: number, proxyPort: number, apis: number): Promise<void> {
    const servers = Array.from(
      { length: apis },
      (_, n) => `    server api${n + 1} 127.0.0.1:${port + n}`,
    );
    const text = readFileSync(join(ROOT, "deploy/haproxy.cfg"), "utf8")
      .replace("127.0.0.1:8000", `127.0.0.1:${proxyPort}`)
      .replace(/^ +server api1 .*\n +server api2 .*$/m, servers.join("\n"));
    const file = join(this.#folder, "haproxy.cfg");
    await writeFile(file, text);
    const how = { args: ["-f", file], env: process.env };
    await this.#listens("haproxy", this.#start("haproxy", "haproxy", how), proxyPort);
    this.address = `http://127.0.0.1:${proxyPort}`;
  }

  #start(name: string, program: string, how: { args: string[]; env: NodeJS.ProcessEnv }) {
    const log = openSync(join(this.#folder, `${name}.log`), "a");
    const child = spawn(program, how.args, { env: how.env, stdio: ["ignore", log, log] });
    closeSync(log);
    // A process that can't start never reports ready, and its log contains the reason.
    child.once("error", () => undefined);
    this.#undo.defer(() => end(child));
    return child;
  }

  async #says(words: string, times: number, name = "scale"): Promise<void> {
    const file = join(this.#folder, `${name}.log`);
    const found = () => readFileSync(file, "utf8").split(words).length - 1 >= times;
    if (await comes(this.#stop, found)) return;
    throw new Error(`${name} did not say "${words}":\n${readFileSync(file, "utf8").slice(-4_000)}`);
  }

  async #listens(name: string, child: ChildProcess, port: number): Promise<void> {
    // Detects the port by a connection, because binding it for a test could take it from the process.
    await comes(this.#stop, async () => child.exitCode !== null || (await answers(port)));
    if (child.exitCode === null && (await answers(port))) return;
    const log = readFileSync(join(this.#folder, `${name}.log`), "utf8");
    throw new Error(`${name} does not listen on ${port}:\n${log}`);
  }
}

function poolerUrl(url: string, port: number): string {
  return `postgres://127.0.0.1:${port}/${parseConnectionUrl(url).database}`;
}

/** PgBouncer does not run as root. With the database's account it can access a private socket. */
async function accountFor(host: string, files: readonly string[]): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const { uid, gid } = host.startsWith("/") ? await stat(host) : { uid: 65_534, gid: 65_534 };
  for (const file of files) await chown(file, uid, gid);
  return ["-u", execFileSync("id", ["-nu", String(uid)], { encoding: "utf8" }).trim()];
}

async function comes(
  stop: AbortSignal,
  condition: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const limit = performance.now() + READY_MAX_MS;
  while (performance.now() < limit) {
    stop.throwIfAborted();
    if (await condition()) return true;
    await pause(POLL_MS);
  }
  return false;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), END_MAX_MS);
  await gone;
  clearTimeout(force);
}

/** The first port of a range below the ephemeral ports. The first and the last port are free. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + count - 1))) return port;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
