import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { childrenOf, isAlive } from "./processes.ts";

const START = join(import.meta.dirname, "../../../server/start.mjs");
const READY = /^(?:Millrace is ready at|A Millrace worker is ready\. Health probes:) (\S+)/;
/** For a busy machine. */
const START_MAX_MS = 180_000;
const STOP_MAX_MS = 90_000;
const PROBE_MS = 100;
const PROBE_MAX_MS = 3_000;
const COMPLAINTS_MAX = 20;
const LINES_TOLD = 20;

export type Role = "api" | "worker";

export interface NodeOptions {
  readonly role: Role;
  readonly env: Readonly<Record<string, string>>;
  /** The file for its output. */
  readonly logFile: string;
}

/** One process of the product, from start to end. */
export class Node {
  readonly role: Role;
  readonly address: string;
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** The result of its last readiness probe. */
  isReady = true;
  /** When it was killed. */
  killedAtMs: number | undefined;
  /** Its logged errors. */
  readonly complaints: string[];
  readonly #child: ChildProcess;
  readonly #gone: Promise<number | NodeJS.Signals | null>;
  #isOver = false;

  static async start({ role, env, logFile }: NodeOptions): Promise<Node> {
    const child = spawn(
      process.execPath,
      ["--max-semi-space-size=8", "--scavenger-max-new-space-capacity-mb=8", START],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: process.env["PATH"], PORT: "0", ...env, MILLRACE_ROLE: role },
      },
    );
    const complaints: string[] = [];
    const said: string[] = [];
    const log = createWriteStream(logFile, { flags: "a" });
    const gone = new Promise<number | NodeJS.Signals | null>((resolve) => {
      child.once("close", (code, signal) => resolve(code ?? signal));
    });
    void gone.then(() => log.end());
    const onLine = (line: string): void => {
      log.write(`${child.pid} ${line}\n`);
      if (said.push(line) > LINES_TOLD) said.shift();
      const isComplaint = /^\{"level":[56]/.test(line);
      if (isComplaint && complaints.length < COMPLAINTS_MAX) complaints.push(line);
    };
    const ended = gone.then((how) => {
      throw new Error(`A ${role} ended (${how}) before it was ready:\n${said.join("\n")}`);
    });
    const address = await Promise.race([announced(child, onLine), ended]).catch(
      (error: unknown) => {
        child.kill("SIGKILL");
        throw error;
      },
    );
    // From now on, its end is not a failed start.
    ended.catch(() => undefined);
    return new Node(role, address, { child, gone, complaints });
  }

  private constructor(
    role: Role,
    address: string,
    life: Pick<Node, "complaints"> & {
      readonly child: ChildProcess;
      readonly gone: Promise<number | NodeJS.Signals | null>;
    },
  ) {
    this.role = role;
    this.address = address;
    this.complaints = life.complaints;
    this.#child = life.child;
    this.#gone = life.gone;
    void this.#gone.then(() => this.#end());
    void this.#probe();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Stops it. Returns an error message if that failed. */
  async stop(): Promise<string | undefined> {
    const children = childrenOf(this.pid);
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MAX_MS);
    const how = await this.#gone;
    clearTimeout(force);
    if (how !== 0) return `a ${this.role} that was told to end ended with ${how}`;
    return outlived(this.role, children);
  }

  /** Kills it. Returns an error message if that failed. */
  async kill(): Promise<string | undefined> {
    const children = childrenOf(this.pid);
    this.killedAtMs = Date.now();
    this.#child.kill("SIGKILL");
    await this.#gone;
    return outlived(this.role, children);
  }

  #end(): void {
    this.#isOver = true;
    this.isReady = false;
    this.agent.destroy();
  }

  async #probe(): Promise<void> {
    while (!this.#isOver) {
      const ready = await fetch(`${this.address}/readyz`, {
        signal: AbortSignal.timeout(PROBE_MAX_MS),
      }).then(
        (reply) => reply.arrayBuffer().then(() => reply.status === 200),
        () => false,
      );
      this.isReady = ready && !this.#isOver;
      await pause(PROBE_MS);
    }
  }
}

/** Resolves with its address when it reports ready. */
function announced(child: ChildProcess, onLine: (line: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("It does not start.")), START_MAX_MS);
    child.once("close", () => clearTimeout(late));
    for (const input of [child.stdout, child.stderr]) {
      if (!input) continue;
      createInterface({ input }).on("line", (line) => {
        onLine(line);
        const address = READY.exec(line)?.[1];
        if (address === undefined) return;
        clearTimeout(late);
        resolve(address);
      });
    }
  });
}

/** Its child processes must end with it in every case. */
async function outlived(role: Role, children: readonly number[]): Promise<string | undefined> {
  const limit = Date.now() + STOP_MAX_MS;
  while (children.some(isAlive)) {
    if (Date.now() > limit) return `processes of a ${role} outlived it`;
    await pause(PROBE_MS);
  }
  return undefined;
}
