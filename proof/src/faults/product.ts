import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../../bench/src/child.ts";

const START = join(import.meta.dirname, "../../../server/start.mjs");
/** For a busy machine. */
const READY_MAX_MS = 180_000;
const READY_POLL_MS = 20;
const STOP_MAX_MS = 100_000;
const LOG_TAIL_CHARS = 4_000;

/** Start options of the product. */
export interface ProductOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Options of Node itself. */
  readonly flags?: readonly string[];
  /** A wrapper command, such as one that sets a limit. */
  readonly before?: readonly string[];
}

/** The product in a separate process, as a service manager would start it. */
export class Product {
  readonly port: number;
  readonly pid: number;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly #child: ChildProcess;
  readonly #logFile: string;

  private constructor(child: ChildProcess, port: number, logFile: string) {
    this.#child = child;
    this.#logFile = logFile;
    this.port = port;
    this.pid = child.pid ?? 0;
    this.ended = new Promise((resolve) =>
      child.once("exit", (code, killedBy) => resolve(code ?? killedBy)),
    );
  }

  /** Starts it on this port, or on a free one, and waits until it is ready. */
  static async start(options: ProductOptions, port?: number): Promise<Product> {
    const { env, logFile, flags = [], before = [] } = options;
    const at = port ?? (await freePort());
    const [file, ...args] = [
      ...before,
      process.execPath,
      "--max-semi-space-size=8",
      "--scavenger-max-new-space-capacity-mb=8",
      ...flags,
      START,
    ];
    const child = spawn(file, args, {
      env: { PATH: process.env["PATH"], HOST: "127.0.0.1", PORT: String(at), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text: Buffer) => appendFileSync(logFile, text));
    }
    const product = new Product(child, at, logFile);
    try {
      await product.#ready();
    } catch (error) {
      await product.stop();
      throw new Error(`The product did not start.\n${product.log.slice(-LOG_TAIL_CHARS)}`, {
        cause: error,
      });
    }
    return product;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Its complete log. */
  get log(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, "utf8") : "";
  }

  /** Its current memory, in MB. */
  get memoryMb(): number {
    if (!this.running) return 0;
    const text = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
  }

  /** Lets it drain, then kills it after a timeout. Returns the exit status. */
  async stop(): Promise<number | NodeJS.Signals | null> {
    if (this.running) this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MAX_MS);
    const how = await this.ended;
    clearTimeout(force);
    return how;
  }

  async #ready(): Promise<void> {
    const limit = performance.now() + READY_MAX_MS;
    while (performance.now() < limit) {
      if (!this.running) throw new Error("It ended.");
      const status = await fetch(`${this.url}/readyz`).then(
        async (reply) => reply.arrayBuffer().then(() => reply.status),
        () => 0,
      );
      if (status === 200) return;
      await pause(READY_POLL_MS);
    }
    throw new Error(`It was not ready after ${READY_MAX_MS} ms.`);
  }
}
