import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { READY, type Job, type Report } from "./protocol.ts";

const PROGRAM = fileURLToPath(new URL("./evaluator-process.ts", import.meta.url));
/** An evaluation stops itself when its time is over, unless it is in a call that nothing interrupts. */
const GRACE_MS = 500;

/**
 * A process that evaluates expressions. It is a process and not a thread, because a thread that asks for
 * too much memory at once (`[1..10000000]`) takes the whole server with it.
 */
export class Evaluator {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #isAlive = true;
  #hear: ((message: unknown) => void) | undefined;
  /** Resolves when it can take jobs. */
  readonly ready: Promise<void>;

  constructor(memoryMb: number) {
    this.#child = start(memoryMb);
    this.#child.on("message", (message) => this.#hear?.(message));
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#isAlive = false;
        this.#hear?.(undefined);
        resolve();
      };
      this.#child.once("exit", end);
      this.#child.once("error", end);
    });
    this.ready = this.#nextMessage().then((message) => {
      if (message !== READY) throw new Error("An evaluator of expressions did not start.");
      this.#hold(false);
    });
    // Whoever brings the first job hears of it; until then nobody listens.
    this.ready.catch(() => undefined);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Carries out one job; the next may come when this has settled. */
  async run(job: Job): Promise<readonly Report[]> {
    this.#hold(true);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // When it was this process that was slow, the answer is already there and is read first.
      setImmediate(() => stop.abort());
    }, job.timeLimitMs + GRACE_MS);
    const kill = (): unknown => this.#child.kill("SIGKILL");
    stop.signal.addEventListener("abort", kill);
    const next = this.#nextMessage();
    // When it can't be sent, the process is at its end, and that is heard.
    this.#child.send(job, () => undefined);
    const reports = await next;
    clearTimeout(timer);
    stop.signal.removeEventListener("abort", kill);
    this.#hold(false);
    // Our own program says nothing else.
    if (reports !== undefined) return reports as readonly Report[];
    return [{ fault: { code: stop.signal.aborted ? "timeout" : "too_large" } }];
  }

  /** Ends it, whatever it is doing. */
  async close(): Promise<void> {
    if (this.#isAlive) this.#hold(true);
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** What it says next; nothing when it ends first. */
  async #nextMessage(): Promise<unknown> {
    if (!this.#isAlive) return undefined;
    return new Promise((resolve) => {
      this.#hear = (message) => {
        this.#hear = undefined;
        resolve(message);
      };
    });
  }

  /** An idle evaluator keeps no process from ending. */
  #hold(hold: boolean): void {
    for (const handle of [this.#child, this.#child.channel]) {
      if (hold) handle?.ref();
      else handle?.unref();
    }
  }
}

function start(memoryMb: number): ChildProcess {
  const timeZone = process.env["TZ"];
  return fork(PROGRAM, [], {
    // Anybody's expressions run there, so it gets nothing of ours but the time zone.
    env: timeZone === undefined ? {} : { TZ: timeZone },
    execArgv: [`--max-old-space-size=${memoryMb}`, "--permission", "--allow-fs-read=*"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}
