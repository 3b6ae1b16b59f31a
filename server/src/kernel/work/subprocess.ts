import { type ChildProcess, fork } from "node:child_process";
import { READY_MESSAGE } from "./subprocess-ready.ts";

export interface SubprocessOptions {
  readonly program: string;
  readonly args?: readonly string[];
  readonly execArgv: readonly string[];
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives all messages except the first, `READY_MESSAGE`. */
  readonly onMessage: (message: unknown) => void;
}

/** How a process ended: by a signal or with a code. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A child process for work that may never end. While it is idle, it does not keep this process alive. It exits when
 * this process ends and its channel closes.
 */
export class Subprocess {
  readonly #child: ChildProcess;
  #isAlive = true;
  #isReady = false;
  #isClosing = false;
  /** Resolves when it can accept work. */
  readonly ready: Promise<void>;
  readonly ended: Promise<ProcessEnd>;

  constructor(options: SubprocessOptions) {
    const child = forkProgram(options);
    this.#child = child;
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.#isAlive = false;
        resolve({ code, signal });
      };
      child.once("exit", end);
      child.once("error", () => end(null, null));
    });
    this.ready = this.#whenReady(options.program);
    // The caller that sends the first work gets the error. Before that, it has no handler.
    this.ready.catch(() => undefined);
    child.on("message", (message) => {
      if (this.#isReady) options.onMessage(message);
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: object): void {
    // If sending fails, the process has ended, which `ended` reports.
    this.#child.send(message, () => undefined);
  }

  /** Keeps this process alive while it waits for the subprocess. */
  hold(hold: boolean): void {
    // `close` waits for the process to end regardless of messages and completed work.
    if (!this.#isAlive || (this.#isClosing && !hold)) return;
    for (const handle of [this.#child, this.#child.channel]) {
      if (hold) handle?.ref();
      else handle?.unref();
    }
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Kills it immediately. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.hold(true);
    this.kill();
    await this.ended;
  }

  async #whenReady(program: string): Promise<void> {
    const first = new Promise((resolve) => this.#child.once("message", resolve));
    const message = await Promise.race([first, this.ended]);
    if (message !== READY_MESSAGE) throw new Error(`${program} did not start.`);
    this.#isReady = true;
    this.hold(false);
  }
}

function forkProgram({ program, args = [], execArgv, env }: SubprocessOptions): ChildProcess {
  return fork(program, args, {
    cwd: "/",
    env,
    execArgv: [...execArgv],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

/** A process of a pool. */
interface PooledProcess {
  readonly isAlive: boolean;
  close(): Promise<void>;
}

/**
 * Keeps idle processes of closed pools for later ones: a program that opens many kernels in sequence, such as the
 * tests, would otherwise start processes for each. Reuse is safe, because processes always serve several users.
 */
export class IdleProcesses<T extends PooledProcess> {
  readonly #kept: T[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  take(): T | undefined {
    for (let one = this.#kept.pop(); one; one = this.#kept.pop()) if (one.isAlive) return one;
    return undefined;
  }

  /** Keeps an idle process, or ends it if there are enough. */
  async put(one: T): Promise<void> {
    if (one.isAlive && this.#kept.length < this.#max) this.#kept.push(one);
    else await one.close();
  }
}
